import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { RefusalLine } from './states.tsx'

interface Props<T> {
  readonly title: string
  readonly children: ReactNode
  /** What is done when the answer is yes, in a word or two. */
  readonly yes: string
  readonly danger?: boolean
  readonly onYes: () => Promise<T>
  /** What follows once it is done; it closes unless given. */
  readonly onDone?: (came: T) => void
  readonly onClose: () => void
}

/** Asks before something is done; a refusal stays to be read. */
export function Question<T>({ title, children, yes, danger = false, onYes, onDone = () => onClose(), onClose }: Props<T>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act = async () => {
    setBusy(true)
    setError(undefined)
    try {
      onDone(await onYes())
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
            {yes}
          </Button>
        </>
      }
    >
      {children}
      {error !== undefined && <RefusalLine error={error} />}
    </Dialog>
  )
}
