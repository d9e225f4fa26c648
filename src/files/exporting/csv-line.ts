/**
 * One line of RFC 4180. Values are written as they are, so that what is written can be read back; nothing is put before what a
 * spreadsheet would take for a formula. A null is nothing at all, an empty text a pair of quotes.
 */
export function csvLine(values: readonly unknown[], delimiter = ','): string {
  return `${values.map((value) => csvCell(value, delimiter)).join(delimiter)}\r\n`
}

function csvCell(value: unknown, delimiter: string): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
