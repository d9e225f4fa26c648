import { CUSTOM_TYPES, type CustomType, recordType } from 'crm-connector/contract'
import { ValueInput } from '../forms/value-input.tsx'
import { IconButton } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { CUSTOM_TYPE_WORDS } from './custom-types.ts'
import { type NewField, nameOfField, valuesOf } from './drafts.ts'

interface Props {
  readonly fields: readonly NewField[]
  readonly faults: { readonly [field: string]: string }
  readonly onChange: (fields: NewField[]) => void
}

/** The record types that a reference can point to. */
const TARGETS = recordType('Definition').fields.RefersTo?.closed ?? []

/** The fields being defined, one per line: label, name, type and first value, and what a choice or a reference needs besides. */
export function FieldLines({ fields, faults, onChange }: Props) {
  const set = (key: number, changed: Partial<NewField>) => onChange(fields.map((field) => (field.key === key ? { ...field, ...changed } : field)))
  return fields.map((field, nth) => (
    <fieldset key={field.key} className="define-field" aria-label={`Field ${nth + 1}`}>
      <Field label="Label" fault={faults[nameOfField(field)]}>
        {(control) => <input {...control} value={field.label} maxLength={255} onChange={(event) => set(field.key, { label: event.target.value })} />}
      </Field>
      <Field label="Name">
        {(control) => (
          <input
            {...control}
            className="mono"
            value={nameOfField(field)}
            maxLength={80}
            autoComplete="off"
            onChange={(event) => set(field.key, { name: event.target.value || undefined })}
          />
        )}
      </Field>
      <Field label="Type">
        {(control) => (
          <select {...control} value={field.type} onChange={(event) => set(field.key, { type: event.target.value as CustomType, value: undefined })}>
            {Object.entries(CUSTOM_TYPE_WORDS).map(([type, words]) => (
              <option key={type} value={type}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="First value">
        {(control) => (
          <ValueInput
            control={control}
            kind={{ Name: '', Type: CUSTOM_TYPES[field.type], AllowedValues: valuesOf(field) ?? null }}
            value={field.value}
            onChange={(value) => set(field.key, { value })}
          />
        )}
      </Field>
      <IconButton
        icon="delete"
        label={`Remove field ${nth + 1}`}
        disabled={fields.length === 1}
        onClick={() => onChange(fields.filter(({ key }) => key !== field.key))}
      />
      {(field.type === 'Choice' || field.type === 'Choices') && (
        <div className="define-more">
          <Field label="Values" hint="One per line. Without any, every value is accepted.">
            {(control) => <textarea {...control} rows={3} value={field.values} onChange={(event) => set(field.key, { values: event.target.value })} />}
          </Field>
        </div>
      )}
      {field.type === 'Reference' && (
        <div className="define-more">
          <Field label="Refers to" hint="The first value is the id of such a record.">
            {(control) => (
              <select {...control} value={field.refersTo} onChange={(event) => set(field.key, { refersTo: event.target.value })}>
                {TARGETS.map((type) => (
                  <option key={type}>{type}</option>
                ))}
              </select>
            )}
          </Field>
        </div>
      )}
    </fieldset>
  ))
}
