import { type ReactNode, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { useModal } from './use-modal.ts'
import { Words } from './words.tsx'
import './dialog.css'

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** The buttons, at the end. */
  readonly footer?: ReactNode
  readonly wide?: boolean
}

/** A modal dialog of the browser, which traps the focus and gives it back. */
export function Dialog({ title, onClose, children, footer, wide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useModal(dialog)
  return (
    <dialog
      ref={dialog}
      className={`dialog${wide ? ' dialog-wide' : ''}`}
      aria-labelledby={id}
      // Browsers ignore preventDefault on a second cancel event, so Escape is handled before it becomes one.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={({ currentTarget: closed }) => {
        if (closed.open || !closed.isConnected) return
        onClose()
        // The browser may close it in spite of preventDefault; if the caller keeps it, it is opened again.
        setTimeout(() => closed.isConnected && !closed.open && closed.showModal())
      }}
    >
      <header>
        <h2 id={id}>
          <Words>{title}</Words>
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div className="dialog-body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  )
}
