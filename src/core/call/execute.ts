import type { CrmError } from '../../contract/errors.ts'
import { allow } from '../access/access.ts'
import { readOwnFields } from '../access/own-fields.ts'
import { refuseUnserved } from '../access/served.ts'
import type { Binding } from '../binding.ts'
import { recordRefusal } from '../journal/refusals.ts'
import type { Call, Service } from '../service.ts'
import { isRead } from '../verbs/verbs.ts'
import { acquireBinding } from './acquire-binding.ts'
import { check } from './check.ts'
import { claim } from './claim.ts'
import { confirm } from './confirm.ts'
import { withConflictingRecords } from './conflicting-records.ts'
import { find } from './find.ts'
import { prepare } from './prepare.ts'
import { run } from './run.ts'
import type { Mode, Outcome, Ready } from './types.ts'
import { wrapError } from './wrap-error.ts'

/**
 * The life of every call, from any transport: find, allow, check, claim, confirm, prepare, run, record. Throws CrmError only. `onStarted` is
 * called once the platform is sure to apply this write before any that is passed to it later.
 */
export async function execute(service: Service, call: Call, onStarted?: () => void): Promise<Outcome> {
  let binding: Binding | undefined
  let ready: Ready | undefined
  try {
    const acquiring = call.binding ? call.binding.acquire() : acquireBinding(service, call.caller.workspace)
    binding = acquiring instanceof Promise ? await acquiring : acquiring
    ready = await makeReady(service, call, binding)
    return await run(ready, onStarted)
  } catch (error) {
    // The next call need not wait until the refusal is recorded.
    onStarted?.()
    throw await refuse(service, call, binding, error)
  } finally {
    onStarted?.()
    ready?.release()
    ready?.checked.budget.end()
    if (!call.binding) binding?.release()
    call.onEnd?.()
  }
}

/** The steps before run; a read has the first three. They write nothing but a confirmation to wait for; a refusal leaves no key claimed. */
export async function makeReady(service: Service, call: Call, binding: Binding, mode: Mode = {}): Promise<Ready> {
  const looking = refuseUnserved(service.store, call.caller.workspace)
  if (looking) await looking
  const reading = readOwnFields(service.store, call.caller.workspace.number)
  if (reading) await reading
  const operation = find(binding, call, mode)
  allow(binding, call.caller, operation)
  const checking = check(service, operation, call, binding)
  // Not awaited where it is there already: row "Get Leads, beside 100 writes a second" of bench/results/http.md.
  const checked = checking instanceof Promise ? await checking : checking
  if (isRead(operation)) return { checked, prepared: undefined, release: NOTHING_CLAIMED }
  const release = claim(checked, mode)
  try {
    const tied = await confirm(checked, mode, makeReady)
    const prepared = await prepare(checked, mode, makeReady)
    return { checked, prepared: tied ? tied(prepared) : prepared, release }
  } catch (error) {
    release()
    throw error
  }
}

const NOTHING_CLAIMED = () => {}

/** The error that a call is answered with, after its refusal has been recorded. It has no binding where that could not be found out. */
export async function refuse(service: Service, call: Call, binding: Binding | undefined, error: unknown): Promise<CrmError> {
  const wrapped = wrapError(service, call, binding, error)
  const refusal = binding ? await withConflictingRecords(binding, call, error, wrapped) : wrapped
  await recordRefusal(service, call, refusal)
  return refusal
}
