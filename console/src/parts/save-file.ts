/** Downloads a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** `Pipeline by stage` of today is `pipeline-by-stage-2026-11-15.csv`. */
export function fileName(title: string, ending: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `${words}-${new Date().toISOString().slice(0, 10)}.${ending}`
}
