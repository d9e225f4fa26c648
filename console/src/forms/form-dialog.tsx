import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { unknownChoice } from './choice-input.tsx'
import { useLeaveGuard } from './leave-guard.ts'
import './form-dialog.css'

interface Props {
  readonly title: string
  readonly save: string
  readonly busy: boolean
  readonly unsaved: boolean
  /** An error that belongs to no field. */
  readonly error: unknown
  readonly disabled?: boolean
  readonly wide?: boolean
  readonly onSave: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A reference is picked with a button. */
const INPUTS = 'input, select, textarea, .reference-input > button'

/** A form in a dialog. It asks before unsaved input is discarded. */
export function FormDialog({ title, save, busy, unsaved, error, disabled = false, wide = false, onSave, onClose, children }: Props) {
  const id = useId()
  const [leaving, setLeaving] = useState(false)
  useLeaveGuard(unsaved)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>(INPUTS)?.focus(), [])
  // After a refusal the first faulty input gets the focus.
  const wasBusy = useRef(busy)
  useEffect(() => {
    if (wasBusy.current && !busy) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    wasBusy.current = busy
  }, [busy])
  const ask = () => {
    // A second attempt to close discards.
    if (unsaved && !leaving) setLeaving(true)
    else onClose()
  }
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={ask}
      footer={
        // Keys keep React from turning one button into another while it is pressed.
        leaving ? (
          <Fragment key="leaving">
            <span className="form-leaving" role="alert">
              Discard what you typed?
            </span>
            <Button onClick={() => setLeaving(false)}>Keep editing</Button>
            <Button kind="danger" onClick={onClose}>
              Discard
            </Button>
          </Fragment>
        ) : (
          <Fragment key="editing">
            <Button onClick={() => (unsaved ? setLeaving(true) : onClose())}>Cancel</Button>
            <Button kind="primary" type="submit" form={id} busy={busy} disabled={disabled}>
              {save}
            </Button>
          </Fragment>
        )
      }
    >
      <form
        ref={form}
        id={id}
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          const unknown = unknownChoice(event.currentTarget)
          if (unknown) unknown.focus()
          else if (!busy) onSave()
        }}
      >
        {children}
        {error !== undefined && <RefusalLine error={error} />}
      </form>
    </Dialog>
  )
}
