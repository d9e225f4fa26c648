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
  /** Null where the call was replayed: stored answers hold no secrets. */
  readonly secret: string | null
  /** What it is for. */
  readonly about: string
  readonly onClose: () => void
}

/** A secret that cannot be read again. Only its button closes the dialog, because Escape is pressed too easily. */
export function ShownOnce({ title, label, secret, about, onClose }: Props) {
  const [warned, setWarned] = useState(false)
  return (
    <Dialog
      title={title}
      onClose={secret === null ? onClose : () => setWarned(true)}
      footer={
        <Button kind="primary" onClick={onClose}>
          {secret === null ? 'Close' : 'I saved it'}
        </Button>
      }
    >
      <p className="shown-once-warning">
        <Icon name="warning" size={18} />
        <span>{secret === null ? 'It cannot be shown again. Create another one.' : 'This is shown only once. Copy it now and store it safely.'}</span>
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
          Not closed yet: it cannot be shown again. Copy it, then press “I saved it”.
        </p>
      )}
    </Dialog>
  )
}
