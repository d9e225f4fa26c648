/** The confirmation that a refused call waits for. */
export interface WaitingPlan {
  readonly PlanID: string
  /** Repeating the call with this token executes it. It is shown only once; absent where only `allow_plan` with another key does. */
  readonly Token?: string
  /** `batch` for a whole batch. */
  readonly Operation: string
  readonly RecordType: string
  /** The record that is taken away or overwritten; of a batch the first. */
  readonly RecordID: string
  readonly ExpiresDate: string
  /**
   * The answer of a dry run, the names of the records (`Names`), the counts of what goes with them (`Removed`), and whether it can be undone (`Undoable`). Of a conversion
   * also what it makes (`Creates`); of a batch the number of calls by operation (`Calls`), of a batch and its undo that of the records that are deleted (`Deletes`) or
   * changed (`Updates`), with the first 20 names of each, and what would change of them (`Differences`).
   */
  readonly Preview: { readonly [member: string]: unknown }
}
