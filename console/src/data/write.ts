import { type CallOptions, CrmError } from 'crm-connector'
import { useCallback, useRef } from 'react'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import { REPEAT } from './error-text.ts'
import { useUndo } from './undo.ts'
import { useUndoBatch } from './undo-batch.ts'
import { useUndoChange } from './undo-change.tsx'
import { refusedUndo } from './undo-refusal.ts'

export { messageOf } from './error-text.ts'

interface WriteOptions<T> {
  /**
   * The input of the call. If its outcome is unknown, the same input is sent again with the same idempotency key, so that it is never
   * executed twice; for that the options must reach the call.
   */
  readonly input?: unknown
  /** The address that shows the result. */
  readonly open?: (answer: T) => string
  /** The batch that Undo takes back, instead of the change. */
  readonly batchId?: string
}

/** Runs a write and shows a toast with an Undo button. Refusals are thrown. */
export type Write = <T>(
  doneText: string | ((answer: T) => string),
  call: (options: CallOptions) => Promise<T>,
  onUndone?: () => void,
  options?: WriteOptions<T>,
) => Promise<T>

export function useWrite(): Write {
  const { mayUndo } = useSession()
  const toast = useToast()
  const undoBatch = useUndoBatch()
  const undo = useUndo()
  const undoChange = useUndoChange()
  /** The idempotency keys of writes whose outcome is unknown, by their input. */
  const unresolved = useRef(new Map<string, string>())
  return useCallback(
    async (done, call, onUndone, { input, open, batchId } = {}) => {
      let changeId: string | undefined
      const onOutcome: CallOptions['onOutcome'] = (outcome) => {
        changeId = outcome.changeId
      }
      const answer =
        input === undefined
          ? await call({ onOutcome })
          : await withIdempotencyKey(unresolved.current, JSON.stringify(input), (idempotencyKey) => call({ idempotencyKey, onOutcome }))
      const doneText = typeof done === 'string' ? done : done(answer)
      const ChangeID = changeId
      const deleted = (answer as { readonly Deleted?: boolean } | null)?.Deleted === true
      const act =
        ChangeID !== undefined && mayUndo({ deleted })
          ? {
              label: 'Undo',
              async act() {
                try {
                  if (batchId !== undefined) {
                    await undoBatch(batchId, doneText)
                    onUndone?.()
                  } else
                    await undoChange(ChangeID, async () => {
                      await undo({ ChangeID, revision: (answer as { readonly Revision?: unknown } | null)?.Revision })
                      toast({ text: `Undone: ${doneText}` })
                      onUndone?.()
                    })
                } catch (error) {
                  toast(refusedUndo(error))
                }
              },
            }
          : undefined
      toast({ text: doneText, ...(act && { act }), ...(open && { open: open(answer) }) })
      return answer
    },
    [mayUndo, toast, undo, undoBatch, undoChange],
  )
}

async function withIdempotencyKey<T>(unresolved: Map<string, string>, input: string, call: (key: string) => Promise<T>): Promise<T> {
  const key = unresolved.get(input) ?? newKey()
  try {
    const answer = await call(key)
    unresolved.delete(input)
    return answer
  } catch (error) {
    const refusal = error instanceof CrmError ? error : undefined
    if (refusal?.code === 'outcome_unknown') {
      unresolved.set(input, key)
      throw new CrmError(refusal.code, refusal.message, { hint: REPEAT, cause: refusal })
    }
    if (!refusal?.retryable) unresolved.delete(input)
    throw error
  }
}

/** A random idempotency key. `crypto.randomUUID` exists only on secure pages. */
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
