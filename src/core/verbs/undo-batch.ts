import { randomUUID } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { eventTypeOf } from '../../contract/records/event.ts'
import type { CheckedCall, Outcome, Part, Prepared, Written } from '../call/types.ts'
import { wrapError } from '../call/wrap-error.ts'
import type { RecordChange } from '../journal/changes.ts'
import { linesToUndo } from './batch-lines.ts'
import { type Progress, type StoredChange, stepOf, typeOf } from './undo.ts'

/**
 * Undoes the changes of a batch, newest first, as many as fit into one call. In the store it is all or nothing, unless `atomic` is false: what has changed since is then left
 * as it is. On a CRM, which has no transactions, each change is undone for itself. The undo is itself a batch, the same one for all calls that it takes.
 */
export async function undoBatch(checked: CheckedCall, batchId: string, atomic: boolean | undefined): Promise<Prepared> {
  const { call, binding, service } = checked
  if (atomic && !binding.isStore) throw new CrmError('unsupported', `${binding.platform.name} has no transactions, so that Atomic cannot be true.`)
  const isAtomic = atomic ?? binding.isStore
  const { lines, more, undoneBy, revisions } = await linesToUndo(checked, batchId)
  const undoId = call.batchId ?? undoneBy ?? randomUUID()
  const progress: Progress = { batches: [batchId, undoId], revisions }
  const report = (types: readonly string[], failures: readonly Failure[]) => ({
    UndoneBatchID: batchId,
    BatchID: undoId,
    Undone: lines.length - failures.length,
    Left: more + failures.length,
    Changes: countsOf(types),
    Failed: failures.map(shownFailure),
  })
  const parts = lines.map((change) => partOf(checked, batchId, undoId, change, progress))
  return {
    on: typeOf(checked, lines.find(({ RecordType }) => !STORE_TYPES.includes(RecordType)) ?? (lines[0] as StoredChange)),
    async work(writer) {
      await writer.lockWorkspace()
      const done: RecordChange[] = []
      const failures: Failure[] = []
      // It may run more than once.
      const own = { ...progress, revisions: new Map(revisions) }
      for (const change of lines) {
        try {
          done.push(...(await stepOf(checked, change, own).apply(writer)))
        } catch (error) {
          if (isAtomic) throw error instanceof CrmError ? ofChange(change, error) : error
          // Nothing of a step that is refused was written.
          if (binding.isStore && !isConflict(error)) throw error
          failures.push({ change, refusal: wrapError(service, call, binding, error) })
        }
        await writer.pause()
      }
      const [first] = failures
      if (first && failures.length === lines.length) throw ofChange(first.change, first.refusal)
      return written(report(typesOf(done), failures), done, undoId)
    },
    parts: {
      each: parts,
      answer(ends) {
        const all = lines.map((change, i) => ({ change, end: ends.get(parts[i] as Part) as Outcome | CrmError }))
        return report(
          all.flatMap(({ end }) => (end instanceof CrmError ? [] : (end.result as PartAnswer).Did)),
          all.flatMap(({ change, end }) => (end instanceof CrmError ? [{ change, refusal: end }] : [])),
        )
      },
    },
  }
}

const isConflict = (error: unknown) => error instanceof CrmError && error.code === 'conflict'

interface Failure {
  readonly change: StoredChange
  readonly refusal: CrmError
}

interface PartAnswer {
  readonly UndoneChangeID: string
  readonly Did: readonly string[]
}

/** The undo of one change as a write of its own. */
function partOf(checked: CheckedCall, batchId: string, undoId: string, change: StoredChange, progress: Progress): Part {
  const { ChangeID } = change
  return {
    key: `undo:${batchId}:${ChangeID}`,
    input: { ChangeID },
    prepare() {
      const { type, apply } = stepOf(checked, change, progress)
      return {
        on: type,
        async work(writer) {
          const done = await apply(writer)
          return written({ UndoneChangeID: ChangeID, Did: typesOf(done) } satisfies PartAnswer, done, undoId)
        },
      }
    },
  }
}

/** Its lines are in the order in which the changes were undone, so that undoing them in turn reverses it. */
function written(answer: object, done: readonly RecordChange[], batchId: string): Written {
  const change = done.at(-1)
  return { answer, ...(change && { change, also: done.slice(0, -1) }), batchId }
}

const typesOf = (done: readonly RecordChange[]) => done.map(({ record, eventName }) => eventTypeOf(record, eventName))

function countsOf(types: readonly string[]): { [eventType: string]: number } {
  const counts: { [eventType: string]: number } = {}
  for (const type of types) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

const shownFailure = ({ change: { ChangeID, RecordType, RecordID }, refusal: { code, message } }: Failure) => ({
  ChangeID,
  RecordType,
  RecordID: RecordID ?? '',
  Code: code,
  Message: message,
})

function ofChange({ ChangeID, RecordType, RecordID }: StoredChange, error: CrmError): CrmError {
  return new CrmError(error.code, `Nothing was undone. ${RecordType} ${RecordID}, change ${ChangeID}: ${error.message}`, { ...error, cause: error })
}
