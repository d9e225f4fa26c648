/** The working directory; empty where it was deleted. */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}
