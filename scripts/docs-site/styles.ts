const DARK = /:root\[data-theme="dark"\] \{([^}]*)\}/

/** The console's colours for the site. Without JavaScript the device decides whether they are dark. */
export function siteStyles(tokens: string, styles: string): string {
  const dark = DARK.exec(tokens)?.[1]
  if (dark === undefined) throw new Error('The colours of the console have no dark theme.')
  return `${tokens}\n@media (prefers-color-scheme: dark) {\n:root:not([data-theme="light"]) {${dark}}\n}\n\n${styles}`
}
