import { BATCH } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createInTurn } from '../../helpers/in-turn.ts'
import type { Binding } from '../binding.ts'
import type { DryRun } from '../call/dry-run.ts'
import { add, atOnce, type Counts, type Loss, lossOfEach } from '../call/loss.ts'
import type { CheckedCall, Input, Outcome } from '../call/types.ts'
import type { RecordChange } from '../journal/changes.ts'
import { changesOf, lostBy, overwritesRecord, plannedRecord, type StoredPlan, takesAway, type Waiting } from '../journal/confirmations.ts'
import type { Lost, PlannedRecord, Service, Shown } from '../service.ts'
import { type Difference, TouchedRecords } from './touched-records.ts'

/** The Input of a plan for a batch. */
export interface StoredBatch {
  readonly Operations: readonly PlannedCall[]
  readonly Atomic?: true
}

export interface PlannedCall {
  readonly Operation: string
  readonly Input: Input
  /** What it takes away or overwrites. */
  readonly Record?: PlannedRecord
  /** What is lost with a record that it deletes. */
  readonly Lost?: Lost
  /** What it answers, where it takes something away. */
  readonly Answer?: object
}

/** What was shown of a call of a batch that is confirmed. */
export const shownOf = ({ Record: record, Lost: lost }: PlannedCall): Shown => ({ record, lost })

/** The plan of a batch: how many of which calls, the names of the first records, what would change of them, and the counts of what goes with all. Undefined where nothing has to be confirmed. */
export async function planOf(
  batch: StoredBatch,
  fingerprint: string,
  calls: readonly CheckedCall[],
  previews: readonly (DryRun | undefined)[],
): Promise<Waiting | undefined> {
  const Calls: Counts = {}
  const Removed: Counts = {}
  // A record may refer to several of those that are deleted.
  const emptied = new Map<string, string>()
  const touched = new TouchedRecords()
  let Undoable = true
  const planned = new Map<number, Pick<PlannedCall, 'Record' | 'Lost' | 'Answer'>>()
  const records = new Set<string>()
  const inTurn = createInTurn(atOnce(calls[0]?.binding))
  const losses = await Promise.all(calls.map((checked, i) => inTurn('', () => plannedLosses(checked, previews[i]))))
  for (const [i, { operation }] of calls.entries()) {
    const [preview, changes] = [previews[i], losses[i]]
    if (preview) add(Calls, { [operation.id]: 1 })
    if (!preview?.change || !changes) continue
    const isTaken = takesAway(operation, preview)
    const { WouldWrite, Difference } = preview.outcome.result as { readonly WouldWrite: { readonly Emptied?: Counts }; readonly Difference: Difference }
    const Record = plannedRecord(preview.change)
    const Lost = lostBy(operation, changes[0]?.loss.Removed ?? {}, WouldWrite)
    // Of a record that is changed twice, the second time finds what the first has made of it.
    planned.set(i, {
      Record: records.has(Record.RecordID) ? { ...Record, RecordRevision: null } : Record,
      ...(Lost && { Lost }),
      ...(isTaken && { Answer: WouldWrite }),
    })
    records.add(Record.RecordID)
    for (const { change, loss } of changes) {
      const isGone = change.after === null || operation.effect === 'delete'
      touched.add(change, { isTaken: isGone, names: loss.Names, difference: change === preview.change ? Difference : {} })
      add(Removed, loss.Removed)
      Undoable &&= loss.Undoable
    }
    for (const { record, id } of WouldWrite.Emptied ? preview.also : []) emptied.set(`${record.name} ${id}`, record.name)
  }
  const [first] = planned.values()
  if (!first?.Record) return undefined
  const input = { ...batch, Operations: batch.Operations.map((call, i) => ({ ...call, ...planned.get(i) })) }
  refuseTooLarge(input)
  const Emptied: Counts = {}
  for (const type of emptied.values()) add(Emptied, { [type]: 1 })
  return {
    operation: BATCH,
    input,
    fingerprint,
    record: { ...first.Record, RecordRevision: null },
    preview: {
      DryRun: true,
      WouldWrite: emptied.size > 0 ? { Emptied } : {},
      Difference: {},
      Calls,
      ...touched.shown(),
      Removed,
      Undoable,
    },
  }
}

/** The changes of a call that has to be confirmed, each with what goes with it; undefined for any other call. */
async function plannedLosses(checked: CheckedCall, preview: DryRun | undefined): Promise<readonly PlannedChange[] | undefined> {
  if (!preview?.change || !(takesAway(checked.operation, preview) || overwritesRecord(checked, preview))) return undefined
  checked.budget.check()
  const changes = changesOf(checked.operation, preview)
  const losses = await lossOfEach(checked, changes)
  return changes.map((change, i) => ({ change, loss: losses[i] as Loss }))
}

interface PlannedChange {
  readonly change: RecordChange
  readonly loss: Loss
}

function refuseTooLarge(input: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(input))
  if (bytes > LIMITS.bodyBytes)
    throw new CrmError('too_large', `This batch has to be confirmed, and is too large for a plan: ${bytes.toLocaleString('en')} bytes.`, {
      hint: `A plan has at most ${LIMITS.bodyBytes.toLocaleString('en')}. Send smaller batches, and what deletes nothing on its own.`,
    })
}

/** The idempotency key of a call of a batch that was allowed, for the user who has allowed it. */
export const allowedKey = (planId: string, index: number): string => `plan:${planId}:${index}`

/**
 * How the calls of a batch ended that a person has allowed: in a store all were executed; on a CRM each has its key. Only what took something away has its
 * answer in the plan.
 */
export async function executedCalls(
  { store }: Service,
  { PlanID, DecidedBy, Input }: StoredPlan,
  binding: Binding,
  workspace: number,
): Promise<(Outcome | CrmError)[]> {
  const { Operations } = Input as unknown as StoredBatch
  const journal = store.journal(workspace)
  return Promise.all(
    Operations.map(async ({ Answer }, i) => {
      if (binding.isStore) return { result: Answer }
      const entry = await journal.findIdempotencyKey(DecidedBy as string, allowedKey(PlanID, i))
      if (entry?.state === 'done') return { result: Answer, changeId: entry.changeId ?? undefined }
      return new CrmError('conflict', `Not executed when the plan ${PlanID} was allowed.`, { hint: 'Call it on its own to see why.' })
    }),
  )
}
