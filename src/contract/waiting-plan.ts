/** What waits to be confirmed, as the refusal of a call shows it. */
export interface WaitingPlan {
  readonly PlanID: string
  /** Repeating the call with this token executes it. It is shown only once. */
  readonly Token: string
  readonly Operation: string
  readonly RecordType: string
  readonly RecordID: string
  readonly ExpiresDate: string
  /** What a dry run answers. */
  readonly Preview: { readonly [member: string]: unknown }
}
