import { SEARCHED_TYPES } from '../../../contract/search.ts'
import { hasWords, partFor, type SearchedWords, scoreOf, searchedWords, searchTextIn } from '../../../contract/search-text.ts'
import type { Budget, SearchMatch, SearchQuery, StoredRecord } from '../../platform.ts'
import type { Fragment } from '../sql/conditions.ts'
import { gramsFor } from '../sql/search-grams.ts'
import type { Table } from '../sql/tables.ts'
import { type Connection, TICK } from './connection.ts'
import type { Scans } from './scans.ts'
import { inRange, ownerGram, rangeBind } from './search-index.ts'
import { type PagesOf, pagesIn } from './search-sizes.ts'
import { tableFor } from './tables.ts'

/** Up to so many owners are looked for in the index; more of them would take longer there than comparing what is found. */
const INDEXED_OWNERS = 100

/** The ids of records that were written since they were indexed, by type. */
export type Unindexed = ReadonlyMap<string, readonly string[]>

/** What was found, with those of the records that were written since that have the words too. `get` reads one. */
export function withUnindexed(
  found: readonly SearchMatch[],
  query: SearchQuery,
  unindexed: Unindexed,
  get: (type: string, id: string) => StoredRecord | undefined,
): readonly SearchMatch[] {
  if (unindexed.size === 0) return found
  const words = searchedWords(query.text)
  return SEARCHED_TYPES.flatMap((type) => {
    const { belongs } = tableFor(type).record
    const written = new Set(query.types.includes(type) ? unindexed.get(type) : [])
    const more = [...written].flatMap((id) => {
      const record = get(type, id)
      const isMine = record && (!query.owners || belongs === null || query.owners.includes(record[belongs] as string))
      const text = isMine ? searchTextIn(type, record) : undefined
      return text && hasWords(text.words, words) ? [{ type, id, score: scoreOf(words[0] ?? [], text) }] : []
    })
    const all = [...found.filter((match) => match.type === type && !written.has(match.id)), ...more]
    return all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, query.limit)
  })
}

/**
 * Finds records by their words. The newest come first out of the index, so that a word that every record has costs no more than another. A statement
 * inside the index cannot be interrupted, so that it never runs on the event loop.
 */
export async function matches(connection: Connection, scans: Scans, workspace: number, query: SearchQuery, budget?: Budget): Promise<readonly SearchMatch[]> {
  const words = searchedWords(query.text)
  const types = SEARCHED_TYPES.filter((type) => query.types.includes(type))
  if (words.length === 0 || types.length === 0 || query.owners?.length === 0) return []
  const pagesOf = pagesIn(connection)
  const found = types.map((type) => matchesOf(workspace, tableFor(type), words, query, pagesOf))
  const rows = await scans.long(
    found.map(({ sql }) => sql).join(' UNION ALL '),
    found.flatMap(({ bind }) => bind),
    budget,
  )
  return rows.flatMap(({ type, rows }) => (typeof rows === 'string' ? rows.split('\n').map((row) => matchIn(type as string, row, words[0] ?? [])) : []))
}

/** One row: the type, and what was found of it, a line for each record. */
function matchesOf(workspace: number, table: Table, words: SearchedWords, { owners, limit }: SearchQuery, pagesOf: PagesOf): Fragment {
  const mine = owners && table.record.belongs !== null ? owners : undefined
  const compared = words.map((list) => `(${list.map(() => 'instr(r."Words", ?) > 0').join(' AND ')})`).join(' OR ')
  const owned = mine ? `AND r."OwnerID" IN (SELECT value FROM json_each(?))` : ''
  const found = `SELECT r."RecordID" || char(9) || r."Places" || char(9) || r."Words" AS line FROM "SearchIndex" f CROSS JOIN "SearchRow" r ON r."Row" = f.rowid
    WHERE ${TICK} AND f."SearchIndex" MATCH ? AND ${inRange('f.rowid')} AND r."Workspace" = ? AND r."RecordType" = '${table.name}' AND (${compared}) ${owned}
    ORDER BY f.rowid DESC LIMIT ?`
  return {
    sql: `SELECT '${table.name}' AS type, (SELECT group_concat(line, char(10)) FROM (${found})) AS rows`,
    bind: [
      matchOf(words, mine, pagesOf),
      ...rangeBind(workspace, table.name),
      workspace,
      ...words.flat().map(partFor),
      ...(mine ? [JSON.stringify(mine)] : []),
      limit,
    ],
  }
}

function matchIn(type: string, line: string, searched: readonly string[]): SearchMatch {
  const [afterId, afterPlaces] = [line.indexOf('\t'), line.lastIndexOf('\t')]
  return { type, id: line.slice(0, afterId), score: scoreOf(searched, { words: line.slice(afterPlaces + 1), places: line.slice(afterId + 1, afterPlaces) }) }
}

/** How many times as long as the shortest list of the index another one may be that is read beside it. Rows are compared with the words in any case, which takes less time than to read a long list. */
const LONGER = 2

/** What is looked for in the index, in FTS5's language: of each alternative what the fewest rows have. All of it is letters and digits. */
function matchOf(words: SearchedWords, owners: readonly string[] | undefined, pagesOf: PagesOf): string {
  const mine = owners && owners.length <= INDEXED_OWNERS ? owners.map(ownerGram) : undefined
  const alternatives = gramsFor(words).map((grams) => {
    const lists = [...grams.map((gram) => [gram]), ...(mine ? [mine] : [])].map((list) => ({ list, pages: list.reduce((sum, gram) => sum + pagesOf(gram), 0) }))
    const fewest = Math.min(...lists.map(({ pages }) => pages))
    const read = lists.filter(({ pages }) => pages <= LONGER * fewest)
    return `(${read.map(({ list }) => `(${list.map((gram) => `"${gram}"`).join(' OR ')})`).join(' AND ')})`
  })
  return alternatives.join(' OR ')
}
