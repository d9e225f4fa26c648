const LONGEST = 80

/** The title that Salesforce wants of a note: the first line of its text that says something. */
export function titleOf(text: string): string {
  const line = text.split(/[\r\n\u2028\u2029]+/).find((one) => one.trim() !== '') ?? ''
  let title = ''
  for (const char of line.trim()) {
    if (title.length + char.length > LONGEST) break
    title += char
  }
  // What looks like a reference to another part of a request would be taken for one.
  return title.replaceAll('@{', '@ ').trim() || 'Note'
}
