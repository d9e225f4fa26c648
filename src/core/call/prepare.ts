import { CrmError } from '../../contract/errors.ts'
import { findEntry, storedAnswer } from '../journal/idempotency.ts'
import { prepareOf } from '../verbs/verbs.ts'
import type { CheckedCall, MakeReady, Mode, Prepared } from './types.ts'

/** The prepare step: everything of a write that can be done before its transaction. */
export async function prepare(checked: CheckedCall, mode: Mode, makeReady: MakeReady): Promise<Prepared> {
  const prepared = await prepareOrReplay(checked, makeReady)
  if (mode.atomic && !checked.binding.isStoreFor(prepared.on)) throw new CrmError('unsupported', 'This platform cannot apply several writes as one.')
  return prepared
}

/** A repeated call may no longer be possible, because its record is gone; its stored answer is replayed all the same. */
async function prepareOrReplay(checked: CheckedCall, makeReady: MakeReady): Promise<Prepared> {
  try {
    return await prepareOf(checked.operation)(checked, makeReady)
  } catch (error) {
    const { service, caller, call } = checked
    if (call.dryRun || !storedAnswer(await findEntry(checked, service.store.journal(caller.workspace.number)))) throw error
    return replayOnly(checked, error)
  }
}

/** Answers with the stored answer of the key, and is refused should that have expired meanwhile. */
export function replayOnly({ operation }: CheckedCall, error: unknown): Prepared {
  return { on: operation.record, work: () => Promise.reject(error) }
}
