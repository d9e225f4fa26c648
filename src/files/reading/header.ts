import { CrmError } from '../../contract/errors.ts'
import type { CsvLine } from './csv-reader.ts'
import { nothingButError } from '../sending/reject-text.ts'
import type { FileRow, FileRows } from './rows.ts'

/** Lines of which the first names the columns. */
export interface Lines {
  readonly lines: readonly (Omit<CsvLine, 'cells'> & { readonly cells: readonly unknown[] })[]
  readonly part: number
}

/** Rows under the names of their columns. */
export async function* headed(pieces: AsyncIterable<Lines>, { isEager = false, isRagged = false }): AsyncGenerator<FileRows> {
  let names: readonly string[] | undefined
  const rowOf = ({ line, cells, fault }: Lines['lines'][number]): FileRow => {
    const columns = names ?? []
    const wrong = fault ?? (isRagged || cells.length === columns.length ? nothingButError(columns, cells) : ragged(cells.length, columns.length))
    return {
      line,
      names: columns,
      cells: isEager ? cells.map((cell) => (cell === '' ? undefined : cell)) : cells,
      ...(wrong !== undefined && { fault: wrong }),
    }
  }
  for await (const { lines, part } of pieces) {
    const rest = names || lines.length === 0 ? lines : lines.slice(1)
    names ??= lines[0] && columnNames(lines[0])
    yield { rows: rest.map(rowOf), part, ...(names && { names }) }
  }
}

function ragged(cells: number, columns: number): string {
  const what = `It has ${cells} ${cells === 1 ? 'cell' : 'cells'} where the first line names ${columns} ${columns === 1 ? 'column' : 'columns'}.`
  return cells > columns ? `${what} A cell with the separator in it needs quotes.` : `${what} Was it cut off?`
}

/** Every column has a name of its own. */
function columnNames({ line, cells, fault }: Lines['lines'][number]): string[] {
  if (fault !== undefined) throw new CrmError('invalid_input', `Line ${line} should name the columns, and cannot be read: ${fault}`)
  const names = cells.map((cell) => String(cell ?? '').trim())
  return names.map((name, i) => (name === '' ? placeName(i) : names.indexOf(name) < i ? `${name} (${placeName(i)})` : name))
}

const placeName = (index: number) => `column ${index + 1}`

/** Whether a column has no name but that of its place. */
export const isNameless = (name: string, index: number) => name === placeName(index)
