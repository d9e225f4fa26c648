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

/** A secret that nobody will ever see again. */
export function ShownOnce({ title, label, secret, about, onClose }: Props) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          I have kept it
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
    </Dialog>
  )
}
