import { BATCH, type Batch } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import { handlesSecrets, type Operation } from '../../contract/operation.ts'
import { operationNamed } from '../../contract/operations.ts'
import { type Confirm, strictest } from '../../contract/records/plan.ts'
import type { Reader } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import type { SharedBinding } from '../binding.ts'
import type { Outcome } from '../call/types.ts'
import {
  checkWaiting,
  executedPlan,
  neededConfirmation,
  planOfToken,
  releasePlan,
  requestConfirmation,
  type StoredPlan,
  usePlan,
} from '../journal/confirmations.ts'
import { fingerprintOf } from '../journal/idempotency.ts'
import type { Call, Service, Shown } from '../service.ts'
import { checkEach, isThrown, previewEach, refusalsOf, unlessThrown } from './preview.ts'
import { executedCalls, planOf, type StoredBatch, shownOf } from './stored-batch.ts'

/** What the confirmation of a batch has come to: how its calls ended without being executed, or the plan to execute them by. */
export interface Confirmed {
  readonly ends?: readonly (Outcome | CrmError)[]
  readonly batchId?: string
  readonly plan?: BatchPlan
}

/** The plan of a batch that may be executed. */
export interface BatchPlan {
  readonly id: string
  /** What was shown of each call. */
  readonly shown: readonly Shown[]
  use(writer: StoreWriter): Promise<void>
  release(writer: StoreWriter): Promise<void>
}

const operationsIn = ({ Operations }: Batch): Operation[] => Operations.flatMap(({ Operation }) => operationNamed(Operation) ?? [])

function neededFor(batch: Call, given: Batch): Confirm | null {
  return strictest(...operationsIn(given).map((operation) => neededConfirmation(batch, operation)))
}

/** Whether a batch has calls that may have to be confirmed, or a token, which is checked in any case. */
export const mayNeedConfirmation = (batch: Call, given: Batch): boolean =>
  !batch.dryRun && (batch.confirmation !== undefined || neededFor(batch, given) !== null)

/**
 * The confirm step of a batch. Where one of its calls has to be confirmed, all of it waits for one plan, which is thrown: nothing is executed. What would be
 * refused anyway is refused without a plan, and the other calls with it. Resolves to undefined where nothing has to be confirmed.
 */
export async function confirmBatch(service: Service, batch: Call, given: Batch, calls: readonly Call[], shared: SharedBinding): Promise<Confirmed | undefined> {
  const needed = neededFor(batch, given)
  if (needed !== null) refuseUnplannable(operationsIn(given))
  const checks = await checkEach(service, calls, shared, given.Atomic === true)
  try {
    const drafts = unlessThrown(checks)
    if (!drafts) return { ends: await refusalsOf(service, calls, checks) }
    if (drafts.every(({ answer }) => answer)) return undefined
    const asked: StoredBatch = {
      Operations: drafts.map(({ checked: { operation, input } }) => ({ Operation: operation.id, Input: input })),
      ...(given.Atomic && { Atomic: true }),
    }
    const fingerprint = fingerprintOf(BATCH, { ...asked })
    if (batch.confirmation !== undefined && needed !== 'person') {
      const hasBegun = drafts.some(({ entry }) => entry)
      return { plan: await confirmedPlan(service, batch, fingerprint, hasBegun) }
    }
    if (needed === null) return undefined
    const ends = await previewEach(drafts, given.Atomic === true)
    const previews = unlessThrown(ends)
    if (!previews) {
      const { error } = ends.find(isThrown) ?? {}
      const isGone = needed === 'person' && error instanceof CrmError && error.code === 'not_found'
      const done = isGone ? await executedPlan(service, batch, { Fingerprint: fingerprint }) : undefined
      // An erasure may have emptied it.
      if (done?.Input.Operations)
        return { ends: await executedCalls(service, done, await shared.acquire(), batch.caller.workspace.number), batchId: done.PlanID }
      return { ends: await refusalsOf(service, calls, ends) }
    }
    const checked = drafts.map((draft) => draft.checked)
    const waiting = await planOf(asked, fingerprint, checked, previews)
    if (!waiting) return undefined
    throw await requestConfirmation(service, batch, needed, waiting)
  } finally {
    for (const check of checks) if (!isThrown(check)) check.checked.budget.end()
  }
}

/** A plan keeps what it executes, and answers once; it has no place for the answers of reads, or for secrets. */
function refuseUnplannable(operations: readonly Operation[]): void {
  const read = operations.find(({ effect }) => effect === 'read')
  if (read)
    throw new CrmError('unsupported', `This batch has to be confirmed, and ${read.name} writes nothing.`, {
      hint: 'Send reads on their own: a batch that has to be confirmed takes only operations that write.',
    })
  const secret = operations.find(handlesSecrets)
  if (secret)
    throw new CrmError('unsupported', `This batch has to be confirmed, and ${secret.name} is about a secret, which no plan may keep.`, {
      hint: 'Send it on its own.',
    })
}

/** A batch that was executed in part goes on with its token, as long as that can be used, where its idempotency keys show what was executed. */
async function confirmedPlan(service: Service, batch: Call, fingerprint: string, hasBegun: boolean): Promise<BatchPlan> {
  const { caller } = batch
  async function find(reader: Pick<Reader, 'get'>): Promise<StoredPlan> {
    const plan = await planOfToken(batch, fingerprint, reader)
    checkWaiting(hasBegun && plan.State === 'done' ? { ...plan, State: 'waiting' } : plan, service.now().toISOString())
    return plan
  }
  const { PlanID, Input } = await find(service.store.reader(caller.workspace.number))
  const { Operations } = Input as unknown as StoredBatch
  let revision: number | undefined
  return {
    id: PlanID,
    shown: Operations.map(shownOf),
    async use(writer) {
      const plan = await find(writer)
      if (plan.State === 'waiting') revision = await usePlan(writer, plan, caller.userId)
    },
    release: (writer) => releasePlan(writer, PlanID, revision),
  }
}
