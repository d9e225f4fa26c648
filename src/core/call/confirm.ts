import { CrmError } from '../../contract/errors.ts'
import { confirmationOf, needsConfirmation, requestConfirmation, withConfirmation } from '../journal/confirmations.ts'
import { findEntry, openStateOf, storedAnswer } from '../journal/idempotency.ts'
import { dryRunWithChange } from './dry-run.ts'
import { prepare, replayOnly } from './prepare.ts'
import type { CheckedCall, MakeReady, Mode, Prepared } from './types.ts'

/**
 * The confirm step: refuses a write that has to be confirmed and is not, and a token that does not fit, whether one is needed or not. An open
 * idempotency key replaces no token. Resolves to how the prepared write is tied to its confirmation.
 */
export async function confirm(checked: CheckedCall, mode: Mode, makeReady: MakeReady): Promise<((prepared: Prepared) => Prepared) | undefined> {
  const { service, caller, call, operation } = checked
  if (call.dryRun || mode.allowed) return undefined
  const needed = needsConfirmation(checked)
  if (needed && mode.atomic) throw new CrmError('unsupported', `${operation.name} has to be confirmed, and so cannot be part of an atomic batch.`)
  if (!needed && call.confirmation === undefined) return undefined
  const { number } = caller.workspace
  const entry = await findEntry(checked, service.store.journal(number))
  if (storedAnswer(entry)) return () => replayOnly(checked, new CrmError('conflict', 'The answer of this Idempotency-Key has just expired.'))
  if (call.confirmation === undefined) {
    const prepared = await prepare(checked, mode, makeReady)
    const refusal = await requestConfirmation(checked, await dryRunWithChange(checked, prepared))
    if (refusal) throw refusal
    return undefined
  }
  const { PlanID } = await confirmationOf(checked, service.store.reader(number), openStateOf(entry)?.planId)
  return (prepared) => withConfirmation(checked, prepared, PlanID, (writer) => confirmationOf(checked, writer))
}
