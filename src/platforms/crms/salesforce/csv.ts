const [QUOTE, COMMA] = [0x22, 0x2c]

/** The rows of a CSV text as Salesforce writes it: lines end in LF, and a cell in quotes may have any character. The first row has the names of the columns. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    let cell = ''
    if (text.charCodeAt(at) === QUOTE) {
      for (let isDoubled = true; isDoubled; ) {
        const close = text.indexOf('"', at + 1)
        const end = close < 0 ? text.length : close
        isDoubled = text.charCodeAt(end + 1) === QUOTE
        cell += text.slice(at + 1, isDoubled ? end + 1 : end)
        at = isDoubled ? end + 1 : end
      }
      at++
    } else {
      const from = at
      while (at < text.length && text.charCodeAt(at) !== COMMA && text[at] !== '\n') at++
      cell = text.slice(from, at)
    }
    row.push(cell)
    if (text.charCodeAt(at) !== COMMA) {
      rows.push(row)
      row = []
    } else if (at + 1 === text.length) row.push('')
    at++
  }
  if (row.length > 0) rows.push(row)
  return rows
}
