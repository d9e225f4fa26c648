import { ValueInput } from '../../forms/value-input.tsx'
import type { Control } from '../../parts/field.tsx'
import type { ValueShape } from './shape.ts'

interface Props {
  readonly name: string
  readonly shape: ValueShape
  readonly control: Control
  readonly value: unknown
  readonly required?: boolean
  readonly onChange: (value: unknown) => void
}

/** The control for one value, with a button beside it that sets null where null is allowed. */
export function Value({ name, shape, control, value, required = false, onChange }: Props) {
  const { type, allowed, suggested, nullable } = shape
  const kind = { Name: name, Type: type, Required: required && value !== undefined, AllowedValues: allowed ?? null, SuggestedValues: suggested ?? null }
  if (!nullable) return <ValueInput control={control} kind={kind} value={value} onChange={onChange} />
  return (
    <div className="form-nullable">
      {value === null ? (
        <input {...control} value="null" readOnly className="mono" />
      ) : (
        <ValueInput control={control} kind={kind} value={value} onChange={onChange} />
      )}
      <button
        type="button"
        className="form-null"
        aria-pressed={value === null}
        aria-label={`${name}: null`}
        title={value === null ? 'Leave out' : 'Set to null'}
        onClick={() => onChange(value === null ? undefined : null)}
      >
        null
      </button>
    </div>
  )
}
