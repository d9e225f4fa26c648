/** Options of a write, which are no part of its input: as arguments of a tool, headers, flags and options of the SDK. */
export const WRITE_OPTIONS = {
  DryRun: { header: 'Dry-Run', flag: '--dry-run', option: 'dryRun' },
  IdempotencyKey: { header: 'Idempotency-Key', flag: '--idempotency-key', option: 'idempotencyKey' },
  ConfirmationToken: { header: 'Confirmation-Token', flag: '--confirmation', option: 'confirmation' },
} as const

/** What transports take beside the input of a call. `Budget` is not among them: it is a common field, which wins over the option of the same name. */
export const CALL_OPTIONS = [...Object.keys(WRITE_OPTIONS), 'Confirmation', 'Detail']

/** What transports say beside the members of an answer: a field of such a name would pose as the service. */
export const ANSWER_REMARKS = ['Remarks', 'UserNames', 'LeftOut', 'ChangeID', 'Replayed', 'Call', 'DryRun', 'WouldWrite', 'Difference'] as const
