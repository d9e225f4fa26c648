import { ValueInput } from '../forms/value-input.tsx'
import { Field } from '../parts/field.tsx'
import type { DescribedField } from '../session/session.ts'
import type { Row } from './record-schema.ts'

interface Props {
  readonly fields: readonly DescribedField[]
  readonly values: Row
  readonly faults: { readonly [field: string]: string }
  readonly onChange: (field: string, value: unknown) => void
}

export function FieldInputs({ fields, values, faults, onChange }: Props) {
  return (
    <div className="form-fields">
      {fields.map((field) => (
        <div key={field.Name} className={field.Type === 'longText' && (field.Required || fields.length < 6) ? 'form-long' : undefined}>
          <Field label={field.Label} required={field.Required} hint={field.Description ?? undefined} fault={faults[field.Name]}>
            {(control) => <ValueInput control={control} kind={field} value={values[field.Name]} onChange={(value) => onChange(field.Name, value)} />}
          </Field>
        </div>
      ))}
    </div>
  )
}
