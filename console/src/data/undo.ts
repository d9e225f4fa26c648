import type { CallOptions, Crm } from 'crm-connector'
import { useCallback } from 'react'
import { useSession } from '../session/session.ts'
import { noteOwnWrite } from './own-revisions.ts'
import { undoRefusal } from './undo-refusal.ts'

interface Undoable {
  readonly ChangeID: string
  /** The Revision that the change has left, where it is known. */
  readonly revision?: unknown
}

type Answer = Awaited<ReturnType<Crm['changes']['undo']>>

/** Undoes a change. A refusal names its record. */
export function useUndo(): (change: Undoable, options?: CallOptions) => Promise<Answer> {
  const { crm, may } = useSession()
  return useCallback(
    async ({ ChangeID, revision }, options) => {
      try {
        const answer = await crm.changes.undo({ ChangeID }, options)
        if ('Record' in answer) noteOwnWrite(answer.RecordID, revision, answer.Record?.Revision)
        return answer
      } catch (error) {
        throw await undoRefusal({ crm, may }, error, ChangeID)
      }
    },
    [crm, may],
  )
}
