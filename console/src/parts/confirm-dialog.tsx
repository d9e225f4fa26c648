import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { RefusalLine } from './states.tsx'

interface Props<T> {
  readonly title: string
  readonly children: ReactNode
  /** The text of the button. */
  readonly confirmLabel: string
  readonly danger?: boolean
  readonly onConfirm: () => Promise<T>
  /** Called with the result; closes the dialog unless given. */
  readonly onDone?: (came: T) => void
  readonly onClose: () => void
}

/** Asks before an action. Errors are shown in the dialog. */
export function ConfirmDialog<T>({ title, children, confirmLabel, danger = false, onConfirm, onDone = () => onClose(), onClose }: Props<T>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act = async () => {
    setBusy(true)
    setError(undefined)
    try {
      onDone(await onConfirm())
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void act()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
      {error !== undefined && <RefusalLine error={error} />}
    </Dialog>
  )
}
