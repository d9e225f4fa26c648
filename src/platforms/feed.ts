/** A record that others have deleted, and the record that it was merged into. */
export interface DeletedRecord {
  readonly id: string
  /** When, in milliseconds by the platform's clock. */
  readonly at: number
  readonly mergedInto?: string | undefined
}

/** How a platform tells what others have changed in it. */
export interface Feed {
  /** The present moment by the platform's own clock, as far as it is known. */
  now(): number

  /** For how long searches may not know what was written. */
  readonly lagMs: number

  /** What was deleted since a moment; undefined where the platform's log does not go back that far. Absent where it has none. */
  deletedSince?: ((type: string, since: number) => Promise<readonly DeletedRecord[] | undefined>) | undefined
}
