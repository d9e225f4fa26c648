const APART = /\u2068([^\u2068\u2069]*)\u2069?/

/** Words with names among them that `shownText` keeps apart. What is copied from the page has no characters for that. */
export function Words({ children }: { readonly children: string }) {
  // Every second part is what stood apart.
  const parts = children.split(APART)
  return parts.length === 1 ? children : parts.map((part, nth) => (nth % 2 === 1 ? <bdi key={nth}>{part}</bdi> : part))
}
