import { type CallOptions, CrmError } from 'crm-connector'
import { useCallback } from 'react'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'

/** Carries out a write. It says what was done and offers to undo it; a refusal is thrown for whoever shows it. */
export type Write = <T>(
  done: string,
  carryOut: (options: CallOptions) => Promise<T>,
  /** Called when the change was undone. */
  undone?: () => void,
) => Promise<T>

export function useWrite(): Write {
  const { crm, may } = useSession()
  const toast = useToast()
  return useCallback(
    async (done, carryOut, undone) => {
      let changeId: string | undefined
      const answer = await carryOut({
        onOutcome(outcome) {
          changeId = outcome.changeId
        },
      })
      const ChangeID = changeId
      const undo =
        ChangeID !== undefined && may('undo_change')
          ? {
              label: 'Undo',
              async act() {
                try {
                  await crm.changes.undo({ ChangeID })
                  toast({ text: 'Undone.' })
                  undone?.()
                } catch (error) {
                  toast({ text: `Not undone: ${messageOf(error)}`, bad: true })
                }
              },
            }
          : undefined
      toast({ text: done, ...(undo && { act: undo }) })
      return answer
    },
    [crm, may, toast],
  )
}

/** What went wrong, and what to do about it, in words for a person. */
export function messageOf(error: unknown): string {
  if (error instanceof CrmError) return error.hint && !error.message.includes(error.hint) ? `${error.message} ${error.hint}` : error.message
  return error instanceof Error ? error.message : String(error)
}
