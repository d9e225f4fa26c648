import { CrmError } from '../../contract/errors.ts'
import type { Confirm } from '../../contract/records/plan.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { TouchedRecords } from '../batch/touched-records.ts'
import type { RecordChange } from '../journal/changes.ts'
import {
  changesOf,
  confirmationOf,
  executedPlan,
  ifAsShown,
  neededConfirmation,
  overwritesRecord,
  plannedRecord,
  requestConfirmation,
  takesAway,
  withConfirmation,
} from '../journal/confirmations.ts'
import { findEntry, fingerprintOf, openStateOf, storedAnswer } from '../journal/idempotency.ts'
import { deletionOf } from '../journal/lines-about.ts'
import { madeOf } from '../verbs/convert.ts'
import { type DryRun, dryRunWithChange } from './dry-run.ts'
import { type Loss, lossOfAll, lossOfEach } from './loss.ts'
import { prepare, replayOnly } from './prepare.ts'
import type { CheckedCall, MakeReady, Mode, Prepared } from './types.ts'

/**
 * The confirm step: refuses a write that has to be confirmed and is not, and a token that does not fit, whether one is needed or not. An open
 * idempotency key replaces no token. Resolves to how the prepared write is tied to its confirmation.
 */
export async function confirm(checked: CheckedCall, mode: Mode, makeReady: MakeReady): Promise<((prepared: Prepared) => Prepared) | undefined> {
  const { service, caller, call, operation, input } = checked
  const { inConfirmed } = call
  if (inConfirmed) return (prepared) => ifAsShown(checked, prepared, inConfirmed)
  if (call.dryRun || mode.allowed) return undefined
  const needed = neededConfirmation(call, operation)
  if (needed === null && call.confirmation === undefined) return undefined
  const { number } = caller.workspace
  const entry = await findEntry(checked, service.store.journal(number))
  if (storedAnswer(entry)) return () => replayOnly(checked, new CrmError('conflict', 'The answer of this Idempotency-Key has just expired.'))
  if (needed !== null && (call.confirmation === undefined || needed === 'person')) return planFor(checked, needed, mode, makeReady)
  const fingerprint = fingerprintOf(operation, input)
  const plan = await confirmationOf(service, call, fingerprint, service.store.reader(number), openStateOf(entry)?.planId)
  return (prepared) => withConfirmation(checked, prepared, plan, (writer) => confirmationOf(service, call, fingerprint, writer))
}

/** Throws the plan that the write has to wait for. One that a person has allowed meanwhile answers again, and changes nothing. */
async function planFor(checked: CheckedCall, needed: Confirm, mode: Mode, makeReady: MakeReady): Promise<((prepared: Prepared) => Prepared) | undefined> {
  const { service, call, operation, input } = checked
  const fingerprint = fingerprintOf(operation, input)
  try {
    const preview = await dryRunWithChange(checked, await prepare(checked, mode, makeReady))
    const { change } = preview
    if (!change || !(takesAway(operation, preview) || overwritesRecord(checked, preview))) return undefined
    const result = preview.outcome.result as { readonly WouldWrite: StoredRecord }
    const changes = changesOf(operation, preview)
    const losses = await lossOfEach(checked, changes)
    throw await requestConfirmation(service, call, needed, {
      operation,
      input,
      fingerprint,
      record: plannedRecord(change),
      preview: {
        ...result,
        ...(operation.verb === 'convert' && change.before && { Creates: madeOf(checked, change.before, result.WouldWrite) }),
        ...lossOfAll(changes, losses),
        ...('UndoneBatchID' in result.WouldWrite && touchedBy(changes, losses, preview)),
      },
    })
  } catch (error) {
    const RecordID = input[operation.record.id]
    if (needed !== 'person' || !(error instanceof CrmError) || error.code !== 'not_found' || typeof RecordID !== 'string') throw error
    const done = await executedPlan(service, call, { RecordID, Fingerprint: fingerprint })
    const { WouldWrite } = (done?.Preview ?? {}) as { readonly WouldWrite?: object }
    if (!WouldWrite) throw error
    const changeId = await deletionOf(checked, RecordID)
    return ({ on }) => ({ on, work: async () => ({ answer: WouldWrite, ...(changeId !== undefined && { changeId }) }) })
  }
}

/** The records that the undo of a batch takes away, and what it changes of the others: nothing of those that it restores. */
function touchedBy(changes: readonly RecordChange[], losses: readonly Loss[], { differenceOf }: DryRun) {
  const touched = new TouchedRecords()
  for (const [i, change] of changes.entries())
    touched.add(change, { isTaken: change.after === null, names: losses[i]?.Names ?? {}, difference: change.before === null ? {} : differenceOf(change) })
  return touched.shown()
}
