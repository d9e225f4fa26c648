import { SEARCHED_TYPES } from '../../../contract/search.ts'
import { hasWords, partFor, type SearchedWords, scoreOf, searchedWords, searchTextIn } from '../../../contract/search-text.ts'
import type { SearchMatch, SearchQuery } from '../../platform.ts'
import type { Fragment } from '../sql/conditions.ts'
import { gramsFor } from '../sql/search-grams.ts'
import type { Table } from '../sql/tables.ts'
import type { Ask } from './pool.ts'
import { getRecords } from './reader.ts'
import { hashesIn, ownerGram } from './search-hashes.ts'
import { tableFor } from './tables.ts'

/** How many of the newest rows are compared before the index is asked: a word that many records have is among them, and they show which parts of words are rare. */
const NEWEST = 500

/** Up to so many owners are looked for in the index. */
const INDEXED_OWNERS = 100

/** How many blocks are looked at in one step, from the newest back: a step is one scan of the index, and those after it are left out once enough was found. */
const STEPS = [1, 4, 16]

/** The ids of records that were written since they were indexed, by type. */
export type Unindexed = ReadonlyMap<string, readonly string[]>

/** What the newest rows of a type show. */
interface Newest {
  readonly matches: readonly SearchMatch[]
  /** How many of them have each part of a word and one of the owners, in the order of `listsFor`. */
  readonly counts: readonly number[]
  /** All blocks of the type, the newest first. */
  readonly blocks: readonly number[]
}

/** Finds records by their words: first among the newest, then some blocks after the other from the newest back. */
export async function matches(ask: Ask, workspace: number, query: SearchQuery, unindexed: Unindexed = new Map()): Promise<readonly SearchMatch[]> {
  const words = searchedWords(query.text)
  const types = SEARCHED_TYPES.filter((type) => query.types.includes(type))
  if (words.length === 0 || types.length === 0 || query.owners?.length === 0) return []
  const newest = await newestOf(ask, workspace, types, words, query)
  const older = await olderThan(ask, workspace, newest, words, query)
  const found = types.map(async (type) => {
    const written = new Set(unindexed.get(type))
    const indexed = new Map(
      [...(newest.get(type)?.matches ?? []), ...older].flatMap((match) => (match.type === type && !written.has(match.id) ? [[match.id, match]] : [])),
    )
    const all = [...indexed.values(), ...(await matchesIn(ask, workspace, tableFor(type), [...written], words, query))]
    return all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, query.limit)
  })
  return (await Promise.all(found)).flat()
}

/** Those of the records that have the words, as they are now. */
async function matchesIn(
  ask: Ask,
  workspace: number,
  table: Table,
  ids: readonly string[],
  words: SearchedWords,
  { owners }: SearchQuery,
): Promise<SearchMatch[]> {
  if (ids.length === 0) return []
  const { name: type, id, belongs } = table.record
  return (await getRecords(ask, workspace, table, ids)).flatMap((record) => {
    const text = searchTextIn(type, record)
    const isMine = !owners || belongs === null || owners.includes(record[belongs] as string)
    return isMine && hasWords(text.words, words) ? [{ type, id: record[id] as string, score: scoreOf(words[0] ?? [], text) }] : []
  })
}

/** The owners that a search of the type is limited to, where there are any, and those of them that the index is asked for. */
const ownersOf = ({ record }: Table, { owners }: SearchQuery) => (record.belongs === null ? undefined : owners)
function indexedOwners(table: Table, query: SearchQuery): readonly string[] | undefined {
  const owners = ownersOf(table, query)
  return owners && owners.length <= INDEXED_OWNERS ? owners : undefined
}

/** Compares a row with the words and the owners. */
function comparedWith(table: Table, words: SearchedWords, query: SearchQuery): Fragment {
  const sql = words.map((list) => `(${list.map(() => 'strpos("Words", CAST(? AS TEXT)) > 0').join(' AND ')})`).join(' OR ')
  const bind = words.flat().map(partFor)
  const owners = ownersOf(table, query)
  return owners ? { sql: `(${sql}) AND "OwnerID" IN (SELECT unnest(CAST(? AS TEXT[])))`, bind: [...bind, owners] } : { sql: `(${sql})`, bind }
}

type Row = readonly [type: string, id: string, places: string, words: string]

const matchOf = ([type, id, places, words]: Row, searched: SearchedWords): SearchMatch => ({ type, id, score: scoreOf(searched[0] ?? [], { words, places }) })

async function newestOf(ask: Ask, workspace: number, types: readonly string[], words: SearchedWords, query: SearchQuery): Promise<Map<string, Newest>> {
  const parts = types.map((type) => newestSql(workspace, tableFor(type), words, query))
  const rows = await ask(
    parts.map(({ sql }) => sql).join(' UNION ALL '),
    parts.flatMap(({ bind }) => bind),
  )
  return new Map(
    rows.map(([type, blocks, counts, lines]) => [
      type as string,
      {
        blocks: numbersIn(blocks),
        counts: numbersIn(counts),
        matches: typeof lines === 'string' ? lines.split('\n').map((line) => matchOf([type as string, ...line.split('\t')] as unknown as Row, words)) : [],
      },
    ]),
  )
}

const numbersIn = (text: unknown) => (typeof text === 'string' ? text.split(' ').map(Number) : [])

/** One row: the type, its blocks, the counts, and a line for each match. */
function newestSql(workspace: number, table: Table, words: SearchedWords, query: SearchQuery): Fragment {
  const compared = comparedWith(table, words, query)
  const grams = gramsFor(words).flat()
  const owners = indexedOwners(table, query)
  const counts = [
    ...grams.map(() => 'COUNT(*) FILTER (WHERE strpos("Words", CAST(? AS TEXT)) > 0)'),
    ...(owners ? ['COUNT(*) FILTER (WHERE "OwnerID" = ANY(CAST(? AS TEXT[])))'] : []),
  ]
  return {
    sql: `(WITH r AS MATERIALIZED (SELECT "RecordID", "OwnerID", "Places", "Words" FROM "SearchRow" WHERE "Workspace" = ? AND "RecordType" = '${table.name}' ORDER BY "RecordID" DESC LIMIT ${NEWEST})
      SELECT '${table.name}', (SELECT string_agg(CAST("Block" AS TEXT), ' ' ORDER BY "Block" DESC) FROM "SearchBlock" WHERE "Workspace" = ? AND "RecordType" = '${table.name}'),
        (SELECT concat_ws(' ', ${counts.join(', ')}) FROM r),
        (SELECT string_agg(concat_ws(E'\\t', "RecordID", "Places", "Words"), E'\\n') FROM (SELECT * FROM r WHERE ${compared.sql} ORDER BY "RecordID" DESC LIMIT ?) m))`,
    bind: [workspace, workspace, ...grams.map(partFor), ...(owners ? [owners] : []), ...compared.bind, query.limit],
  }
}

async function olderThan(ask: Ask, workspace: number, newest: ReadonlyMap<string, Newest>, words: SearchedWords, query: SearchQuery): Promise<SearchMatch[]> {
  const parts = [...newest].flatMap(([type, found]) => {
    const isDone = found.matches.length >= query.limit || found.blocks.length === 0
    return isDone ? [] : [byBlocks(workspace, tableFor(type), words, query, found)]
  })
  if (parts.length === 0) return []
  const rows = await ask(
    parts.map(({ sql }) => `(${sql})`).join(' UNION ALL '),
    parts.flatMap(({ bind }) => bind),
  )
  return rows.map((row) => matchOf(row as unknown as Row, words))
}

/**
 * OFFSET 0 keeps the planner from reading all rows of the type instead of asking the index, which it does where its statistics are old. Hashes of another workspace, type or
 * block may be the same, so that what is found is compared with these.
 */
function byBlocks(workspace: number, table: Table, words: SearchedWords, query: SearchQuery, { counts, blocks }: Newest): Fragment {
  const compared = comparedWith(table, words, query)
  const alternatives = listsFor(words, indexedOwners(table, query), counts)
  const steps = stepsOf(blocks).map((some) => {
    const hashes = some.map((block) => hashesIn(workspace, table.name, block))
    const arrays = alternatives.flat().map((grams) => `{${hashes.flatMap((hash) => grams.map(hash)).join()}}`)
    const indexed = alternatives.map((lists) => `(${lists.map(() => '"Grams" && CAST(? AS INTEGER[])').join(' AND ')})`).join(' OR ')
    return {
      sql: `(SELECT '${table.name}' AS type, "RecordID", "Places", "Words" FROM (SELECT * FROM "SearchRow" WHERE ${indexed} OFFSET 0) r
        WHERE "Workspace" = ? AND "RecordType" = '${table.name}' AND "Block" BETWEEN ? AND ? AND ${compared.sql} ORDER BY "RecordID" DESC LIMIT ?)`,
      bind: [...arrays, workspace, some.at(-1) as number, some[0] as number, ...compared.bind, query.limit],
    }
  })
  return { sql: `SELECT * FROM (${steps.map(({ sql }) => sql).join(' UNION ALL ')}) s LIMIT ?`, bind: [...steps.flatMap(({ bind }) => bind), query.limit] }
}

function stepsOf(blocks: readonly number[]): number[][] {
  const steps: number[][] = []
  let at = 0
  for (const size of [...STEPS, blocks.length]) {
    if (at < blocks.length) steps.push(blocks.slice(at, at + size))
    at += size
  }
  return steps
}

/**
 * What is looked for in the index: for each alternative some lists, of each of which a row has one. Of all that a match has, those that the fewest of the newest rows
 * have: reading what many have takes longer than to compare rows.
 */
function listsFor(words: SearchedWords, owners: readonly string[] | undefined, counts: readonly number[]): (readonly string[])[][] {
  let at = 0
  const ofOwners = counts.at(-1) ?? 0
  return gramsFor(words).map((grams) => {
    const lists = grams.map((gram) => ({ list: [gram], count: counts[at++] ?? 0 }))
    const all = owners ? [...lists, { list: owners.map(ownerGram), count: ofOwners }] : lists
    const fewest = Math.min(...all.map(({ count }) => count))
    return all.filter(({ count }) => count <= 2 * fewest).map(({ list }) => list)
  })
}
