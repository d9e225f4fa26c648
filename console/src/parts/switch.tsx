import { useId } from 'react'
import './switch.css'

interface Props {
  readonly label: string
  readonly hint: string
  readonly on: boolean
  readonly disabled?: boolean
  readonly onChange: (on: boolean) => void
}

/** Something that is on or off, and takes effect at once; in a form that is saved, a checkbox is used. */
export function Switch({ label, hint, on, disabled = false, onChange }: Props) {
  const id = useId()
  return (
    <div className="switch">
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-labelledby={id}
        aria-describedby={`${id}-hint`}
        disabled={disabled}
        onClick={() => onChange(!on)}
      />
      <div>
        <span id={id}>{label}</span>
        <small id={`${id}-hint`}>{hint}</small>
      </div>
    </div>
  )
}
