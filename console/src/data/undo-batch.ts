import { useCallback } from 'react'
import { useToast } from '../parts/toasts.tsx'
import { numberText } from '../parts/values.tsx'
import { type Session, useSession } from '../session/session.ts'
import { messageOf } from './error-text.ts'
import { failureOf, undoRefusal } from './undo-refusal.ts'

interface Undone {
  /** The batch that the undo is itself. */
  readonly undoId: string | undefined
  readonly undone: number
  readonly left: number
  /** Why the others are left. */
  readonly reason?: string
  /** The address of the first record of which that is so. */
  readonly open?: string | undefined
}

interface Following {
  /** Stops it between two calls. */
  readonly signal?: AbortSignal
  readonly onProgress?: (undone: number) => void
}

/** Undoes a batch, with as many calls as that takes, and leaves what has changed since. It throws only where nothing was undone. */
async function undoBatch(caller: Pick<Session, 'crm' | 'may'>, batchId: string, { signal, onProgress }: Following): Promise<Undone> {
  let [undone, left, undoId]: [number, number, string | undefined] = [0, 0, undefined]
  for (;;) {
    try {
      const { Undone = 0, Left = 0, Failed = [], BatchID } = await caller.crm.changes.undo({ BatchID: batchId, Atomic: false })
      undone += Undone
      left = Left
      undoId = BatchID
      onProgress?.(undone)
      // Changes that failed are left too, and would fail again.
      if (Undone === 0 || Left <= Failed.length) return { undoId, undone, left, ...(Failed[0] && (await failureOf(caller, Failed[0]))) }
      if (signal?.aborted) return { undoId, undone, left, reason: 'stopped.' }
    } catch (error) {
      const refusal = await undoRefusal(caller, error)
      if (undone === 0) throw refusal
      return { undoId, undone, left, reason: messageOf(refusal) }
    }
  }
}

/** Undoes a batch and shows how that went. Resolves to the batch that the undo is itself. Refusals are thrown. */
export function useUndoBatch(): (batchId: string, what: string, following?: Following) => Promise<string | undefined> {
  const { crm, may } = useSession()
  const toast = useToast()
  return useCallback(
    async (batchId, what, following = {}) => {
      const { undoId, undone, left, reason, open } = await undoBatch({ crm, may }, batchId, following)
      toast(
        left === 0
          ? { text: `Undone: ${what}` }
          : {
              text: `${numberText(undone)} ${undone === 1 ? 'change' : 'changes'} undone, ${numberText(left)} not: ${reason}`,
              bad: true,
              ...(open !== undefined && { open }),
            },
      )
      return undoId
    },
    [crm, may, toast],
  )
}
