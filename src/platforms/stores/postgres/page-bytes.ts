import { LIMITS } from '../../../contract/limits.ts'

/**
 * Selects the matches that fit into a page by their bytes, with the number of them without that limit as the last column. The first always
 * fits. Long values are read only of the rows that are selected.
 */
export function withinBytes(columns: string, bytes: string, matches: string): string {
  return `SELECT t.* FROM (
    SELECT t.*, SUM("bytes") OVER (ROWS UNBOUNDED PRECEDING) AS "sum", COUNT(*) OVER () AS "rows" FROM (SELECT ${columns}, ${bytes} AS "bytes" ${matches}) t
  ) t WHERE "sum" <= ${LIMITS.pageBytes} OR "sum" = "bytes"`
}
