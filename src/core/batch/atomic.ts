import { CrmError } from '../../contract/errors.ts'
import { Turns } from '../../helpers/turns.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import type { Binding, SharedBinding } from '../binding.ts'
import { dryRun } from '../call/dry-run.ts'
import { makeReady, refuse } from '../call/execute.ts'
import { commit, runInTransaction } from '../call/run.ts'
import type { CheckedCall, Outcome, Prepared, Ready } from '../call/types.ts'
import type { Call, Service } from '../service.ts'

type ReadyWrite = Ready & { readonly prepared: Prepared }

/** Marks the plan of a confirmed batch as used, in its transaction. */
type UsePlan = (writer: StoreWriter) => Promise<void>

/** Executes writes all or nothing. Every call is made ready before the first runs, so that most refusals are found before anything is written. */
export async function executeAtomic(service: Service, calls: readonly Call[], shared: SharedBinding, usePlan?: UsePlan): Promise<(Outcome | CrmError)[]> {
  const mode = { atomic: new Set<string>() }
  const ends: (ReadyWrite | CrmError)[] = []
  async function makeOneReady(call: Call): Promise<ReadyWrite | CrmError> {
    let binding: Binding | undefined
    try {
      binding = await shared.acquire()
      return (await makeReady(service, call, binding, mode)) as ReadyWrite
    } catch (error) {
      return refuse(service, call, binding, error)
    }
  }
  const isReady = (end: ReadyWrite | CrmError): end is ReadyWrite => !(end instanceof CrmError)
  try {
    const turns = new Turns()
    for (const call of calls) {
      ends.push(await makeOneReady(call))
      await turns.pause()
    }
    const ready = ends.filter(isReady)
    if (ready.length === calls.length) {
      const done = await runTogether(service, ready, usePlan)
      if (Array.isArray(done)) return done
      for (const { release } of ready) release()
      ends[done.index] = done.refusal
    }
    const first = ends.findIndex((end) => end instanceof CrmError)
    return ends.map((end) => (isReady(end) ? notExecuted(first) : end))
  } finally {
    for (const end of ends) if (isReady(end)) end.release()
  }
}

export function notExecuted(first: number): CrmError {
  const message = `Not executed: the batch is all or nothing, and call ${first} was refused.`
  return new CrmError('conflict', message, { errors: [{ field: `Operations.${first}`, code: 'conflict', message: `Call ${first} was refused.` }] })
}

/** One transaction for all of them: the outcome of each, or which one was refused. */
async function runTogether(
  service: Service,
  writes: readonly ReadyWrite[],
  usePlan: UsePlan | undefined,
): Promise<Outcome[] | { readonly index: number; readonly refusal: CrmError }> {
  let index = 0
  async function inTurn(work: (checked: CheckedCall, prepared: Prepared) => Promise<Outcome>): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (index = 0; index < writes.length; index++) {
      const { checked, prepared } = writes[index] as ReadyWrite
      outcomes.push(await work(checked, prepared))
    }
    return outcomes
  }
  const calls = writes.map(({ checked }) => checked)
  try {
    if (calls[0]?.call.dryRun) return await inTurn(dryRun)
    const outcomes = await commit(calls, async (writer) => {
      // Two batches that lock the same records in different orders would deadlock. Creates lock none.
      if (calls.some(({ operation }) => operation.verb !== 'create')) await writer.lockWorkspace()
      const done = await inTurn(async (checked, prepared) => {
        await writer.pause()
        return runInTransaction(checked, prepared, writer)
      })
      if (!done.every(({ replayed }) => replayed)) await usePlan?.(writer)
      return done
    })
    for (const { prepared } of writes) await prepared.afterCommit?.()
    return outcomes
  } catch (error) {
    // A commit that fails belongs to no call; it is reported with the last.
    index = Math.min(index, writes.length - 1)
    const { call, binding } = calls[index] as CheckedCall
    return { index, refusal: await refuse(service, call, binding, error) }
  }
}
