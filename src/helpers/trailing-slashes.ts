/** An address or path without the slashes at its end. A loop, because `/\/+$/` takes quadratic time on slashes elsewhere. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
