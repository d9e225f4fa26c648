import { CrmError, ERRORS, problemOf } from '../../contract/errors.ts'
import { Plan } from '../../contract/records/plan.ts'
import { allowedKey, type PlannedCall, type StoredBatch, shownOf } from '../batch/stored-batch.ts'
import type { CheckedCall, MakeReady, Part, Prepared, Written } from '../call/types.ts'
import type { RecordChange } from '../journal/changes.ts'
import type { StoredPlan } from '../journal/confirmations.ts'
import type { Caller } from '../service.ts'

/** The calls of a batch that waits, as one write: in the store in one transaction, on a CRM one after the other. Its BatchID is the id of the plan. */
export async function prepareBatch(checked: CheckedCall, plan: StoredPlan, caller: Caller, makeReady: MakeReady): Promise<Prepared> {
  const { service, binding, call } = checked
  const { Operations } = plan.Input as unknown as StoredBatch
  const BatchID = plan.PlanID
  const writes: Prepared[] = []
  for (const [i, planned] of Operations.entries()) {
    const { Operation, Input } = planned
    const one = { operation: Operation, input: Input, caller, batchId: BatchID, inConfirmed: shownOf(planned), deadline: call.deadline, hangUp: call.hangUp }
    const { prepared } = await makeReady(service, one, binding, {}).catch((error: unknown) => Promise.reject(ofCall(i, error)))
    writes.push(prepared as Prepared)
  }
  const parts = writes.map((prepared, i) => partOf(prepared, Operations[i] as PlannedCall, allowedKey(plan.PlanID, i), BatchID))
  return {
    on: writes.find(({ on }) => !binding.isStoreFor(on))?.on ?? writes[0]?.on ?? Plan,
    async work(writer) {
      await writer.lockWorkspace()
      const changes: RecordChange[] = []
      const Results: object[] = []
      for (const [i, { work }] of writes.entries()) {
        const { answer, change, also = [] } = await work(writer).catch((error: unknown) => Promise.reject(ofCall(i, error)))
        changes.push(...also, ...(change ? [change] : []))
        Results.push({ Status: 200, Result: answer })
        await writer.pause()
      }
      const change = changes.at(-1)
      return { answer: { Results, BatchID }, ...(change && { change, also: changes.slice(0, -1) }), batchId: BatchID }
    },
    async afterCommit() {
      for (const { afterCommit } of writes) await afterCommit?.()
    },
    parts: {
      each: parts,
      answer(ends) {
        const Results = parts.map((part) => {
          const end = ends.get(part)
          if (end instanceof CrmError) return { Status: ERRORS[end.code].status, Error: problemOf(end, call.requestId ?? '') }
          return { Status: 200, Result: end?.result, ...(end?.changeId !== undefined && { ChangeID: end.changeId }) }
        })
        return { Results, BatchID }
      },
    },
  }
}

function partOf(prepared: Prepared, { Input }: PlannedCall, key: string, batchId: string): Part {
  const inBatch = (written: Written): Written => ({
    ...written,
    batchId,
    ...(written.inStore && { inStore: async (writer) => inBatch((await written.inStore?.(writer)) as Written) }),
  })
  return { key, input: Input, prepare: () => ({ ...prepared, work: async (writer) => inBatch(await prepared.work(writer)) }) }
}

/** An error that does not come from a library names the call. */
function ofCall(index: number, error: unknown): unknown {
  return error instanceof CrmError ? new CrmError(error.code, `Nothing was executed. Call ${index}: ${error.message}`, { ...error, cause: error }) : error
}
