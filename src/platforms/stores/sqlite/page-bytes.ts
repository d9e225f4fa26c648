import type { Row } from './connection.ts'

/** Selects the sizes of the rows that match, as one value. */
export const sizesSql = (bytes: string, matches: string) => `SELECT json_group_array(bytes) AS sizes FROM (SELECT ${bytes} AS bytes ${matches})`

export const sizesIn = (row: Row | undefined) => JSON.parse(row?.sizes as string) as number[]
