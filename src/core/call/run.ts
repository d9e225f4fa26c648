import { CrmError } from '../../contract/errors.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { findEntry, storedAnswer } from '../journal/idempotency.ts'
import { recordWrite } from '../journal/record.ts'
import { readOf } from '../verbs/verbs.ts'
import { dryRun } from './dry-run.ts'
import { runOnPlatform } from './run-on-platform.ts'
import { runParts } from './run-parts.ts'
import type { CheckedCall, Outcome, Prepared, Ready } from './types.ts'

/** The run step of a single call: a read, a dry run, or a write in the store or on the platform of its records. */
export async function run({ checked, prepared }: Ready, onStarted?: () => void): Promise<Outcome> {
  const { operation, call, budget } = checked
  budget.check()
  if (!prepared) {
    onStarted?.()
    if (call.dryRun && operation.sends) throw new CrmError('unsupported', `${operation.name} is itself a test, so it has no dry run.`)
    return { result: await readOf(operation)(checked) }
  }
  if (call.dryRun) return dryRun(checked, prepared)
  if (prepared.parts && !checked.binding.isStore) return runParts(checked, prepared, prepared.parts, runWrite)
  return runWrite(checked, prepared, onStarted)
}

async function runWrite(checked: CheckedCall, prepared: Prepared, onStarted?: () => void): Promise<Outcome> {
  const platform = checked.binding.platformFor(prepared.on)
  if (!checked.binding.isStoreFor(prepared.on)) return runOnPlatform(checked, prepared, platform)
  const outcome = commit([checked], (writer) => runInTransaction(checked, prepared, writer))
  if (platform.supports.ordered) onStarted?.()
  if (prepared.afterCommit) await outcome.then(prepared.afterCommit)
  return outcome
}

/** Runs a write in a transaction of the store, unless its key has an answer already, and records it there. */
export async function runInTransaction(checked: CheckedCall, prepared: Prepared, writer: StoreWriter): Promise<Outcome> {
  const replayed = checked.idempotency && storedAnswer(await findEntry(checked, writer))
  return replayed ?? recordWrite(checked, await prepared.work(writer), writer)
}

const COMMIT_ATTEMPTS = 3

/**
 * Runs calls in one transaction of the store. Where the outcome of the commit is unknown and all calls have keys, the transaction runs again:
 * the keys show whether it was committed.
 */
export function commit<T>(calls: readonly CheckedCall[], work: (writer: StoreWriter) => Promise<T>, attempt = 1): Promise<T> {
  const [{ service, caller, binding, budget }] = calls as [CheckedCall]
  return binding.store.write(caller.workspace.number, work, { budget }).catch((error) => {
    if (service.store.classify(error)?.code !== 'outcome_unknown' || !calls.every(({ idempotency }) => idempotency)) throw error
    if (attempt === COMMIT_ATTEMPTS)
      throw new CrmError('platform_unavailable', 'The connection to the store was lost during the commit.', { cause: error, retryAfter: 1 })
    return commit(calls, work, attempt + 1)
  })
}
