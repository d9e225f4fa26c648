import { useCallback } from 'react'
import { useQuestion } from '../parts/questions.tsx'
import { useSession } from '../session/session.ts'

/** Undoes a change by `undo`, after asking where that deletes what the change has created. */
export function useUndoChange(): (ChangeID: string, undo: () => Promise<void>) => Promise<void> {
  const { crm, may } = useSession()
  const ask = useQuestion()
  return useCallback(
    async (ChangeID, undo) => {
      const [change, { isCreation, UndoCreationDialog }] = await Promise.all([
        may('get_many_changes') ? crm.changes.getMany({ Filters: { ChangeID } }).then(({ Records }) => Records[0]) : undefined,
        import('../journal/undo-creation.tsx'),
      ])
      if (change && isCreation(change)) ask((close) => <UndoCreationDialog change={change} onConfirm={undo} onClose={close} />)
      else await undo()
    },
    [crm, may, ask],
  )
}
