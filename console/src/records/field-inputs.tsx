import { useState } from 'react'
import { ValueInput } from '../forms/value-input.tsx'
import { Field } from '../parts/field.tsx'
import type { DescribedField } from '../session/session.ts'
import { hintOf } from './field-hint.ts'
import { commonOf, type RecordSchema, type Row } from './record-schema.ts'
import { ReferenceInput } from './reference-input.tsx'
import { UsedChoiceInput } from './used-choice-input.tsx'

interface Props {
  readonly schema: RecordSchema
  readonly fields: readonly DescribedField[]
  readonly values: Row
  readonly faults: { readonly [field: string]: string }
  readonly onChange: (field: string, value: unknown) => void
}

/** A longer form begins with the required and the common fields. */
const LONG = 10

export function FieldInputs({ schema, fields, values, faults, onChange }: Props) {
  const [opened, setOpened] = useState(false)
  const common = commonOf(schema)
  const isFirst = ({ Name, Required }: DescribedField) => fields.length <= LONG || Required || common.includes(Name)
  const [first, more] = [fields.filter(isFirst), fields.filter((field) => !isFirst(field))]
  const input = (field: DescribedField) => (
    <div key={field.Name} className={field.Type === 'longText' && (field.Required || fields.length < 6) ? 'form-long' : undefined}>
      <Field label={field.Label} required={field.Required} hint={hintOf(schema.recordType, field)} fault={faults[field.Name]}>
        {(control) => (
          <FieldInput schema={schema} control={control} kind={field} value={values[field.Name]} onChange={(value) => onChange(field.Name, value)} />
        )}
      </Field>
    </div>
  )
  return (
    <>
      <div className="form-fields">{first.map(input)}</div>
      {more.length > 0 && (
        <details
          className="form-more"
          open={opened || more.some(({ Name }) => faults[Name] !== undefined)}
          onToggle={(event) => setOpened(event.currentTarget.open)}
        >
          <summary>More fields</summary>
          <div className="form-fields">{more.map(input)}</div>
        </details>
      )}
    </>
  )
}

type FieldInputProps = Parameters<typeof ValueInput>[0] & { readonly schema: RecordSchema }

/** References are picked by name, and choices from the values in use. */
export function FieldInput({ schema, ...input }: FieldInputProps) {
  const { kind } = input
  const reference = schema.references.find(({ field }) => field === kind.Name)
  if (reference) return <ReferenceInput {...input} reference={reference} />
  if (kind.Type === 'choice' && !kind.AllowedValues) return <UsedChoiceInput {...input} schema={schema} />
  return <ValueInput {...input} />
}
