import { CrmError } from '../../contract/errors.ts'
import type { CsvLine } from './csv-reader.ts'
import { type FileRow, type FileRows, isBlank, unmended } from './rows.ts'

/** Lines, the first of which names the columns. */
export interface Lines {
  readonly lines: readonly (Omit<CsvLine, 'cells'> & { readonly cells: readonly unknown[] })[]
  readonly part: number
}

/**
 * Rows under the names of their columns, without blank ones. `quotesAll`: the file quotes every cell, so that an empty quoted one is no value;
 * `allowsRagged`: empty cells at the end of a row do not count, as in a workbook.
 */
export async function* headed(pieces: AsyncIterable<Lines>, { quotesAll = false, allowsRagged = false }): AsyncGenerator<FileRows> {
  let names: readonly string[] | undefined
  const rowOf = ({ line, cells, fault }: Lines['lines'][number]): FileRow => {
    const columns = names ?? []
    const fits = allowsRagged ? isBlank(cells.slice(columns.length)) : cells.length === columns.length
    const error = fault ?? (fits ? unmended(columns, cells) : ragged(cells.length, columns.length))
    return {
      line,
      names: columns,
      cells: quotesAll ? cells.map((cell) => (cell === '' ? undefined : cell)) : cells,
      ...(error !== undefined && { fault: error }),
    }
  }
  for await (const { lines: all, part } of pieces) {
    const lines = all.filter(({ cells, fault }) => fault !== undefined || !isBlank(cells))
    const rest = names || lines.length === 0 ? lines : lines.slice(1)
    names ??= lines[0] && columnNames(lines[0])
    yield { rows: rest.map(rowOf), part, ...(names && { names }) }
  }
}

function ragged(cells: number, columns: number): string {
  const what = `It has ${cells} ${cells === 1 ? 'cell' : 'cells'} where the first line names ${columns} ${columns === 1 ? 'column' : 'columns'}.`
  return cells > columns ? `${what} A cell with the separator in it needs quotes.` : `${what} Was it cut off?`
}

/** Unnamed and repeated columns are named by their place, so that every name is unique. */
function columnNames({ line, cells, fault }: Lines['lines'][number]): string[] {
  if (fault !== undefined) throw new CrmError('invalid_input', `Line ${line} should name the columns, and cannot be read: ${fault}`)
  const names = cells.map((cell) => String(cell ?? '').trim())
  return names.map((name, i) => (name === '' ? nameByPlace(i) : names.indexOf(name) < i ? `${name} (${nameByPlace(i)})` : name))
}

const nameByPlace = (index: number) => `column ${index + 1}`

/** Whether a column is named only by its place. */
export const isUnnamed = (name: string, index: number) => name === nameByPlace(index)
