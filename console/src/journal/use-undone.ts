import { useAnswer } from '../data/answer.ts'
import { useSession } from '../session/session.ts'
import { type Change, canUndo } from './change-text.ts'

/** The ids in one filter. */
const MOST = 100

/** Which of the changes were undone; with another version they are looked up anew. They stay so where their undo was undone in turn: each change is undone once. */
export function useUndone(changes: readonly Change[], version?: unknown): (change: Change) => boolean {
  const { crm } = useSession()
  const ids = changes.filter(canUndo).map(({ ChangeID }) => ChangeID)
  const { answer } = useAnswer(
    async (signal) => {
      const undone = new Set<string | null>()
      for (let from = 0; from < ids.length; from += MOST) {
        const Filters = { Undoes: { in: ids.slice(from, from + MOST) } }
        const { Records } = await crm.changes.getMany({ Filters, Select: ['Undoes'], Limit: 1000 }, { signal })
        for (const { Undoes } of Records) undone.add(Undoes)
      }
      return undone
    },
    // The rows are another list whenever they were read.
    [crm, changes, version],
  )
  return ({ ChangeID }) => answer?.has(ChangeID) ?? false
}
