export interface Page<T> {
  readonly records: readonly T[]
  /** How to go on; undefined on the last page. */
  readonly cursor?: string
}

/** A page whose rows are translated when its records are read, so that the next page can be requested first. */
export function translatedPage<Row, T>(rows: readonly Row[], read: (row: Row) => T, cursor: string | undefined): Page<T> {
  return {
    get records() {
      return rows.map(read)
    },
    ...(cursor !== undefined && { cursor }),
  }
}
