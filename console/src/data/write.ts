import { type CallOptions, CrmError } from 'crm-connector'
import { useCallback, useRef } from 'react'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import { messageOf, REPEAT } from './refusal-words.ts'

export { messageOf } from './refusal-words.ts'

interface More<T> {
  /**
   * What is written. While nobody knows whether it was carried out, the same input goes out under the same key again, so that it is
   * never done twice; the options must reach the call for that.
   */
  readonly input?: unknown
  /** Where what came of it is shown. */
  readonly open?: (answer: T) => string
}

/** Carries out a write. It says what was done and offers to undo it; a refusal is thrown for whoever shows it. */
export type Write = <T>(
  done: string,
  carryOut: (options: CallOptions) => Promise<T>,
  /** Called when the change was undone. */
  undone?: () => void,
  more?: More<T>,
) => Promise<T>

export function useWrite(): Write {
  const { crm, mayUndo } = useSession()
  const toast = useToast()
  /** The keys of writes of which nobody knows whether they were carried out, by their input. */
  const open = useRef(new Map<string, string>())
  return useCallback(
    async (done, carryOut, undone, more = {}) => {
      let changeId: string | undefined
      const onOutcome: CallOptions['onOutcome'] = (outcome) => {
        changeId = outcome.changeId
      }
      const answer =
        more.input === undefined
          ? await carryOut({ onOutcome })
          : await once(open.current, JSON.stringify(more.input), (idempotencyKey) => carryOut({ idempotencyKey, onOutcome }))
      const ChangeID = changeId
      const gone = (answer as { readonly Deleted?: boolean } | null)?.Deleted === true
      const undo =
        ChangeID !== undefined && mayUndo({ gone })
          ? {
              label: 'Undo',
              async act() {
                try {
                  await crm.changes.undo({ ChangeID })
                  toast({ text: `Undone: ${done}` })
                  undone?.()
                } catch (error) {
                  toast({ text: `Not undone: ${messageOf(error)}`, bad: true })
                }
              },
            }
          : undefined
      toast({ text: done, ...(undo && { act: undo }), ...(more.open && { open: more.open(answer) }) })
      return answer
    },
    [crm, mayUndo, toast],
  )
}

async function once<T>(open: Map<string, string>, input: string, carryOut: (key: string) => Promise<T>): Promise<T> {
  const key = open.get(input) ?? newKey()
  try {
    const answer = await carryOut(key)
    open.delete(input)
    return answer
  } catch (error) {
    const refusal = error instanceof CrmError ? error : undefined
    if (refusal?.code === 'outcome_unknown') {
      open.set(input, key)
      throw new CrmError(refusal.code, refusal.message, { hint: REPEAT, cause: refusal })
    }
    if (!refusal?.retryable) open.delete(input)
    throw error
  }
}

/** Not every page may call crypto.randomUUID. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
