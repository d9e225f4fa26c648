import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useSession } from '../session/session.ts'
import { type Change, changeSentence, eventVerb } from './change-text.ts'

/** Whether undoing a change deletes its record. */
export const isCreation = (change: Change): boolean => eventVerb(change) === 'created' || eventVerb(change) === 'restored'

interface Props {
  readonly change: Change
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before a creation is undone, which deletes the record. */
export function UndoCreationDialog({ change, onConfirm, onClose }: Props) {
  const { ownStore } = useSession()
  const { name = '', typeName } = changeSentence(change)
  return (
    <ConfirmDialog title={`Delete ${name}?`} confirmLabel="Undo and delete" danger onConfirm={onConfirm} onClose={onClose}>
      <p>{`Undoing the creation of this ${typeName} deletes it. ${ownStore ? 'That can be undone, too.' : 'A CRM cannot restore it.'}`}</p>
    </ConfirmDialog>
  )
}
