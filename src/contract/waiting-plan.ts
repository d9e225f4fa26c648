/** The confirmation that a refused call waits for. */
export interface WaitingPlan {
  readonly PlanID: string
  /** Repeating the call with this token executes it. It is shown only once. */
  readonly Token: string
  readonly Operation: string
  readonly RecordType: string
  readonly RecordID: string
  readonly ExpiresDate: string
  /** The answer of a dry run. */
  readonly Preview: { readonly [member: string]: unknown }
}
