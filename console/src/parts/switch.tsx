import { useId } from 'react'
import './switch.css'

interface Props {
  readonly label: string
  readonly hint: string
  readonly on: boolean
  readonly disabled?: boolean
  /** Why it cannot be switched, where it cannot. */
  readonly because?: string | undefined
  readonly onChange: (on: boolean) => void
}

/** Something that is on or off, and takes effect at once; in a form that is saved, a checkbox is used. */
export function Switch({ label, hint, on, because, disabled = false, onChange }: Props) {
  const id = useId()
  return (
    <div className="switch">
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-labelledby={id}
        aria-describedby={`${id}-hint`}
        disabled={disabled || because !== undefined}
        onClick={() => onChange(!on)}
      />
      <div>
        <span id={id}>{label}</span>
        <small id={`${id}-hint`}>
          {hint}
          {because !== undefined && <em> {because}</em>}
        </small>
      </div>
    </div>
  )
}
