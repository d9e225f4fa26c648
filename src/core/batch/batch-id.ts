import { randomUUID } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import { Change } from '../../contract/records/change.ts'
import { digestOf } from '../access/keys.ts'
import type { Call, Service } from '../service.ts'

/** Under which user the ids of batches are stored among the idempotency keys: no user has this id, and they expire like the others. */
const USER = '(batch)'

/**
 * What the changes of a batch are found by: the id that the caller gives, that of its plan, or a new one. A batch that is repeated with its key, or with the same keys of its calls,
 * has the id of the first time.
 */
export async function batchIdOf(
  service: Service,
  call: Call,
  given: string | undefined,
  keys: readonly (string | undefined)[],
  planId: string = randomUUID(),
): Promise<string> {
  if (given !== undefined) {
    await refuseOfOthers(service, call, given)
    return given
  }
  const { caller } = call
  const repeated = call.idempotencyKey ?? (keys.includes(undefined) ? undefined : JSON.stringify(keys))
  if (repeated === undefined) return planId
  const { number } = caller.workspace
  const key = digestOf(`${caller.userId} ${repeated}`)
  const stored = await service.store.journal(number).findIdempotencyKey(USER, key)
  if (stored?.answer && service.now().getTime() - Date.parse(stored.at) <= service.retention.keyMs) return stored.answer
  const batchId = randomUUID()
  try {
    await service.store.write(number, (writer) =>
      writer.putIdempotencyKey(USER, key, { fingerprint: '', at: writer.now(), state: 'done', answer: batchId, changeId: null }),
    )
  } catch (error) {
    // Of the batch nothing was executed, whatever has become of its id.
    if (service.store.classify(error)?.code !== 'outcome_unknown') throw error
    throw new CrmError('platform_unavailable', 'The store does not answer. Nothing was executed.', { retryAfter: 1, cause: error })
  }
  return batchId
}

/** A batch is one user's: otherwise undoing it would undo what others have joined to it. */
async function refuseOfOthers({ store }: Service, { caller }: Call, batchId: string): Promise<void> {
  const where = [
    { field: 'BatchID', family: 'text', operator: 'eq', value: batchId },
    { field: 'UserID', family: 'text', operator: 'ne', value: caller.userId },
  ] as const
  const { records } = await store
    .reader(caller.workspace.number)
    .find(Change.name, { where, order: { field: Change.id, descending: true }, limit: 1, fields: [] })
  if (records.length === 0) return
  const message = 'This BatchID is that of another user.'
  throw new CrmError('conflict', message, { errors: [{ field: 'BatchID', code: 'conflict', message }], hint: 'Choose another, such as a UUID.' })
}
