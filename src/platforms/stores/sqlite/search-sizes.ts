import { memoise } from '../../../helpers/memoise.ts'
import type { Connection } from './connection.ts'

/** How many pages of the index the list of a part of words takes, about. */
export type PagesOf = (gram: string) => number

/**
 * FTS5 knows no sizes of its lists, but its "_idx" table has the first term of each page that has one: a long list is a gap between two of them. Terms have a '0' before
 * them there, and pages are numbered in steps of two.
 */
const SEGMENTS = `WITH RECURSIVE s(id) AS (SELECT min(segid) FROM "SearchIndex_idx" UNION ALL SELECT (SELECT min(segid) FROM "SearchIndex_idx" WHERE segid > s.id) FROM s WHERE s.id IS NOT NULL)
  SELECT group_concat(id) AS ids FROM s WHERE id IS NOT NULL`
const PAGES = `SELECT sum(max(1, coalesce((SELECT pgno FROM "SearchIndex_idx" WHERE segid = s.value AND term > b.term ORDER BY term LIMIT 1) / 2, 0)
    - coalesce((SELECT pgno FROM "SearchIndex_idx" WHERE segid = s.value AND term <= b.term ORDER BY term DESC LIMIT 1) / 2, 0))) AS pages
  FROM (SELECT CAST('0' || ? AS BLOB) AS term) b, json_each(?) s`

export function pagesIn(connection: Connection): PagesOf {
  const segments = `[${(connection.get(SEGMENTS, [])?.ids as string | null) ?? ''}]`
  return memoise((gram: string) => (connection.get(PAGES, [gram, segments])?.pages as number | null) ?? 0)
}
