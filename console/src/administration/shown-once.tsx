import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import './shown-once.css'

interface Props {
  readonly title: string
  readonly label: string
  /** Null where the answer was that of a repeated call, and no longer has it. */
  readonly secret: string | null
  /** What it is for. */
  readonly about: string
  readonly onClose: () => void
}

/** A secret that nobody will ever see again. It goes only when somebody says to have kept it: Escape is pressed too easily. */
export function ShownOnce({ title, label, secret, about, onClose }: Props) {
  const [warned, setWarned] = useState(false)
  return (
    <Dialog
      title={title}
      onClose={secret === null ? onClose : () => setWarned(true)}
      footer={
        <Button kind="primary" onClick={onClose}>
          {secret === null ? 'Close' : 'I have kept it'}
        </Button>
      }
    >
      <p className="shown-once-warning">
        <Icon name="warning" size={18} />
        <span>{secret === null ? 'It cannot be shown any more. Make another one.' : 'This is shown once. Copy it now and keep it somewhere safe.'}</span>
      </p>
      {secret !== null && (
        <Field label={label} hint={about}>
          {(control) => (
            <div className="shown-once">
              <input {...control} className="mono" readOnly value={secret} onFocus={(event) => event.target.select()} />
              <CopyButton text={secret} />
            </div>
          )}
        </Field>
      )}
      {warned && (
        <p className="shown-once-urged" role="alert">
          It is still here. Once it is closed nobody can see it again: copy it, then press “I have kept it”.
        </p>
      )}
    </Dialog>
  )
}
