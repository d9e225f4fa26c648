import type { StoreWriter } from '../../platforms/store.ts'
import type { CheckedCall, Outcome, Written } from '../call/types.ts'
import { byOf, lineOf } from './changes.ts'

/** The record step: the audit line, which is the event too, and the answer under the idempotency key, in the transaction of the write. */
export async function recordWrite(
  checked: CheckedCall,
  { answer, change, also = [], batchId, changeId: earlier }: Written,
  writer: StoreWriter,
): Promise<Outcome> {
  const { caller, operation, idempotency, call } = checked
  const after = change?.after ? JSON.stringify(change.after) : null
  const by = byOf(call, operation, idempotency?.key ?? null, { groupId: also.length > 0 && !batchId ? writer.newId().id : null, batchId })
  for (const one of also) await writer.appendAuditLine(lineOf(one, by))
  const changeId = change ? await writer.appendAuditLine(lineOf(change, by, after)) : earlier
  // The answer is often the record that was just serialised.
  const json = change?.after === answer && after !== null ? after : undefined
  if (idempotency) {
    // Null stands for the After of the audit line, so that nothing is stored twice.
    const stored = operation.shownOnce ? JSON.stringify({ ...answer, [operation.shownOnce]: null, Hint: NO_SECRET }) : json ? null : JSON.stringify(answer)
    const { key, fingerprint } = idempotency
    await writer.putIdempotencyKey(caller.userId, key, { fingerprint, at: writer.now(), state: 'done', answer: stored, changeId: changeId ?? null })
  }
  return { result: answer, json, changeId }
}

const NO_SECRET = 'The secret is shown once and is not stored with this answer. If it was lost, create another.'
