import { undoChange } from '../../contract/records/change.ts'
import type { AnsweredCall } from './answers.ts'
import type { Row } from './cells.ts'
import { note } from './io.ts'

interface Undone {
  readonly Undone: number
  readonly Left: number
  readonly Changes: { readonly [type: string]: number }
  readonly Failed: readonly unknown[]
}

const isUndoOfBatch = ({ operation, input }: AnsweredCall) => operation.id === undoChange.id && input.BatchID !== undefined

/** Whether a further call would undo more. Changes that failed are left too, and would fail again. */
const goesOn = ({ Undone, Left, Failed }: Undone) => Undone > 0 && Left > Failed.length

/**
 * Undoes what one call has left of a batch, and answers for all calls together. Where a later call is refused, `refusal` is why, and the answer is of those
 * before it.
 */
export async function undoRest(call: AnsweredCall, first: Row, again: () => Promise<unknown>): Promise<{ readonly answer: Row; readonly refusal?: unknown }> {
  if (!isUndoOfBatch(call)) return { answer: first }
  let answer = first as Row & Undone
  let last: Undone = answer
  while (goesOn(last)) {
    try {
      last = (await again()) as Row & Undone
    } catch (refusal) {
      return { answer, refusal }
    }
    answer = { ...answer, ...last, Undone: answer.Undone + last.Undone, Changes: sumOf(answer.Changes, last.Changes) }
  }
  return { answer }
}

function sumOf(some: Undone['Changes'], others: Undone['Changes']): Undone['Changes'] {
  const sum = { ...some }
  for (const [type, count] of Object.entries(others)) sum[type] = (sum[type] ?? 0) + count
  return sum
}

/** Says how the rest of a batch is undone, where only one call was made. */
export function printLeft(call: AnsweredCall, answer: Row, hasKey: boolean): void {
  const { Left } = answer as Row & Undone
  if (!isUndoOfBatch(call) || !goesOn(answer as Row & Undone)) return
  note(call.io, `${Left} ${Left === 1 ? 'change is' : 'changes are'} left. Run it again${hasKey ? ', with another --idempotency-key,' : ''} to undo more.`)
}
