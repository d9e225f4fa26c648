import type { CrmError } from '../../contract/errors.ts'
import { Turns } from '../../helpers/turns.ts'
import type { IdempotencyEntry } from '../../platforms/store.ts'
import { allow } from '../access/access.ts'
import { readOwnFields } from '../access/own-fields.ts'
import { refuseUnserved } from '../access/served.ts'
import type { Binding, SharedBinding } from '../binding.ts'
import { HungUp } from '../call/budget.ts'
import { check as checkCall } from '../call/check.ts'
import { type DryRun, dryRunWithChange } from '../call/dry-run.ts'
import { makeReady, refuse } from '../call/execute.ts'
import { find } from '../call/find.ts'
import { atOnce } from '../call/loss.ts'
import { prepare } from '../call/prepare.ts'
import type { CheckedCall, Mode, Outcome } from '../call/types.ts'
import { findEntry, storedAnswer } from '../journal/idempotency.ts'
import type { Call, Service } from '../service.ts'
import { notExecuted } from './atomic.ts'
import { runsOf } from './concurrent.ts'

/** A call of a batch that has passed find, allow and check, and what its key is known for. */
export interface Draft {
  readonly checked: CheckedCall
  readonly entry: IdempotencyEntry | undefined
  /** The stored answer of an earlier call with the key, so that nothing would be executed. */
  readonly answer: Outcome | undefined
}

/** What a call has thrown, which is recorded only if the batch is answered with it. */
class Thrown {
  readonly error: unknown
  readonly binding: Binding | undefined

  constructor(error: unknown, binding: Binding | undefined) {
    this.error = error
    this.binding = binding
  }
}

export const isThrown = (end: unknown): end is Thrown => end instanceof Thrown

/** What all calls have come to; undefined where one of them has thrown. */
export const unlessThrown = <T>(ends: readonly (T | Thrown)[]): readonly T[] | undefined => (ends.some(isThrown) ? undefined : (ends as readonly T[]))

const modeOf = (atomic: boolean): Mode => (atomic ? { atomic: new Set() } : {})

async function attempt<T>(call: Call, acquire: () => Binding | Promise<Binding>, work: (binding: Binding) => Promise<T>): Promise<T | Thrown> {
  if (call.hangUp?.happened) throw new HungUp()
  let binding: Binding | undefined
  try {
    binding = await acquire()
    return await work(binding)
  } catch (error) {
    return new Thrown(error, binding)
  }
}

export async function checkEach(service: Service, calls: readonly Call[], shared: SharedBinding, atomic: boolean): Promise<(Draft | Thrown)[]> {
  const [mode, turns] = [modeOf(atomic), new Turns()]
  const checks: (Draft | Thrown)[] = []
  for (const call of calls) {
    const { workspace } = call.caller
    const check = attempt(
      call,
      () => shared.acquire(),
      async (binding) => {
        await refuseUnserved(service.store, workspace)
        await readOwnFields(service.store, workspace.number)
        const operation = find(binding, call, mode)
        allow(binding, call.caller, operation)
        const checked = await checkCall(service, operation, call, binding)
        const entry = await findEntry(checked, service.store.journal(workspace.number))
        return { checked, entry, answer: storedAnswer(entry) }
      },
    )
    checks.push(await check)
    await turns.pause()
  }
  return checks
}

/** Dry runs of the calls, each of which sees what those before it would have written; undefined for one that has its answer already. */
export async function previewEach(drafts: readonly Draft[], atomic: boolean): Promise<(DryRun | undefined | Thrown)[]> {
  const [mode, turns] = [modeOf(atomic), new Turns()]
  const preview = ({ checked, answer }: Draft) =>
    attempt(
      checked.call,
      () => checked.binding,
      async () => {
        checked.budget.check()
        return answer ? undefined : dryRunWithChange(checked, await prepare(checked, mode, makeReady))
      },
    )
  const previews: (DryRun | undefined | Thrown)[] = []
  for (const run of runsOf(drafts, ({ checked }) => checked.call, atOnce(drafts[0]?.checked.binding))) {
    previews.push(...(await Promise.all(run.map(preview))))
    await turns.pause()
  }
  return previews
}

/** The refusal of each call: the others are not executed because of the first. */
export async function refusalsOf(service: Service, calls: readonly Call[], ends: readonly unknown[]): Promise<CrmError[]> {
  const first = ends.findIndex(isThrown)
  const refusals: CrmError[] = []
  for (const [i, end] of ends.entries()) refusals.push(isThrown(end) ? await refuse(service, calls[i] as Call, end.binding, end.error) : notExecuted(first))
  return refusals
}
