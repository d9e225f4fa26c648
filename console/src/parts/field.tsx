import { type ReactNode, useId } from 'react'
import './field.css'

export interface Control {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
  readonly required?: boolean
}

interface Props {
  readonly label: string
  readonly hint?: ReactNode
  /** The error message of the service. */
  readonly fault?: string | undefined
  readonly required?: boolean
  /** Renders the control with the attributes that tie it to label, hint and fault. */
  readonly children: (control: Control) => ReactNode
}

export function Field({ label, hint, fault, required = false, children }: Props) {
  const id = useId()
  const described = fault ? `${id}-fault` : hint ? `${id}-hint` : undefined
  return (
    <div className={`field${fault ? ' field-wrong' : ''}`}>
      <label htmlFor={id}>
        {label}
        {required && (
          <span className="field-required" title="required">
            {' '}
            *
          </span>
        )}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': fault !== undefined })}
      {fault ? (
        <p className="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      ) : (
        hint && (
          <p className="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )
      )}
    </div>
  )
}
