import { ValueInput } from '../../forms/value-input.tsx'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Prose } from '../prose.tsx'
import { AnyValue } from './any-value.tsx'
import { type Faults, faultText } from './faults.ts'
import { FiltersForm } from './filters-form.tsx'
import { ListForm } from './list-form.tsx'
import { ObjectForm } from './object-form.tsx'
import type { Member as MemberShape, ValueShape } from './shape.ts'
import './form.css'

interface Props {
  readonly member: MemberShape
  readonly value: unknown
  /** Undefined where it is to be left out. */
  readonly onChange: (value: unknown) => void
  readonly faults: Faults
}

/** One member of an input: its name, what it is for, and the control that fits it. */
export function Member({ member, value, onChange, faults }: Props) {
  const { name, required, about, shape } = member
  switch (shape.kind) {
    case 'value':
      if (typeof value === 'object' && value !== null) return <Strange name={name} value={value} onChange={onChange} faults={faults} />
      return (
        <Field label={name} hint={about && <Prose text={about} />} required={required} fault={faultText(faults)}>
          {(control) => <Value name={name} shape={shape} control={control} value={value} required={required} onChange={onChange} />}
        </Field>
      )
    case 'any':
      return (
        <Field label={name} hint={about && <Prose text={about} />} required={required} fault={faultText(faults)}>
          {(control) => <AnyValue control={control} label={name} value={value} onChange={onChange} />}
        </Field>
      )
    default:
      return (
        <fieldset className="form-group">
          <legend>
            {name}
            {required && (
              <span className="field-required" title="required">
                {' '}
                *
              </span>
            )}
          </legend>
          {about && (
            <p className="field-hint">
              <Prose text={about} />
            </p>
          )}
          {shape.kind === 'list' && <ListForm name={name} shape={shape} value={value} onChange={onChange} faults={faults} />}
          {shape.kind === 'filters' && <FiltersForm shape={shape} value={value} onChange={onChange} faults={faults} />}
          {shape.kind === 'object' && <ObjectForm shape={shape} value={value} onChange={onChange} faults={faults} />}
        </fieldset>
      )
  }
}

interface ValueProps {
  readonly name: string
  readonly shape: ValueShape
  readonly control: Parameters<typeof ValueInput>[0]['control']
  readonly value: unknown
  readonly required?: boolean
  readonly onChange: (value: unknown) => void
}

/** A value, and beside it the way to say that there is none, where that can be said. */
export function Value({ name, shape, control, value, required = false, onChange }: ValueProps) {
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
        title={value === null ? 'Leave it out instead' : 'Say null: no value'}
        onClick={() => onChange(value === null ? undefined : null)}
      >
        null
      </button>
    </div>
  )
}

/** What the JSON says here is nothing that a control could show. */
function Strange({ name, value, onChange, faults }: { name: string; value: unknown; onChange: (value: unknown) => void; faults: Faults }) {
  return (
    <div className="field">
      <strong className="form-strange">{name}</strong>
      <code>{JSON.stringify(value)}</code>
      {faultText(faults) && <p className="field-fault">{faultText(faults)}</p>}
      <Button small icon="close" onClick={() => onChange(undefined)}>
        Clear {name}
      </Button>
    </div>
  )
}
