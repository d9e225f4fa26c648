import { LIMITS } from '../../../contract/limits.ts'
import type { Query } from '../../platform.ts'
import { quoted, type Table } from './tables.ts'

/** The most bytes that a long text has: its characters are counted as UTF-16, of which one is up to three bytes. */
const LONG_TEXT_BYTES = 3 * LIMITS.longText

/**
 * The bytes of a row, as SQL; undefined where all columns are short, where so few rows cannot be too large, or where all records are wanted and not a page of them. Only long columns count. Both databases know the size of a value
 * without reading it, so that a page can be limited by its bytes before anything of it is read.
 */
export function bytesSql({ record }: Table, names: readonly string[], { limit }: Pick<Query, 'limit'>): string | undefined {
  if (limit > LIMITS.page) return undefined
  const long = names.filter((name) => LONG.has(record.fields[name]?.kind as string))
  const mayBeLarge = long.some((name) => record.fields[name]?.kind === 'json') || limit * long.length * LONG_TEXT_BYTES > LIMITS.pageBytes
  return !mayBeLarge ? undefined : bytesOf(long.map((name) => `t.${quoted(name)}`))
}

const LONG: ReadonlySet<string> = new Set(['longText', 'json'])

const bytesOf = (columns: readonly string[]) => columns.map((column) => `COALESCE(octet_length(${column}), 0)`).join(' + ')

/** The bytes of the images of an audit line, as SQL. */
export const IMAGE_BYTES = bytesOf(['"Before"', '"After"'])

/** How many rows of these sizes make a page: the first always fits. */
export function rowsThatFit(sizes: readonly number[]): number {
  let bytes = 0
  const at = sizes.findIndex((size, i) => {
    bytes += size
    return i > 0 && bytes > LIMITS.pageBytes
  })
  return at < 0 ? sizes.length : at
}
