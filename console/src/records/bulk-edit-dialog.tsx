import { useEffect, useRef, useState } from 'react'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { numberText } from '../parts/values.tsx'
import { BulkDialog, type Common, type Run } from './bulk-dialogs.tsx'
import { countOf } from './bulk-words.ts'
import { conversionFault } from './convertible.ts'
import { FieldInput } from './field-inputs.tsx'
import type { Row } from './record-schema.ts'
import { useSuggested } from './suggested.ts'

interface Props extends Common {
  /** The field that was asked for; undefined where it is still to be chosen. */
  readonly first: string | undefined
  readonly onEdit: (changes: Row) => Run
}

/** Gives one field of all selected records a new value. An empty input is no value: a field is cleared only where that is checked. */
export function BulkEditDialog({ first, onEdit, ...common }: Props) {
  const { schema, rows } = common
  const fields = useSuggested(schema, schema.editableFields)
  const start = fields.find(({ Name }) => Name === (first ?? schema.state)) ?? fields[0]
  const [name, setName] = useState(start?.Name ?? '')
  const [value, setValue] = useState<unknown>()
  const [clears, setClears] = useState(false)
  const field = fields.find(({ Name }) => Name === name)
  const given = value !== undefined && value !== null
  const fault = conversionFault(schema, name, value)
  // The dialog would give the focus to its close button.
  const inputs = useRef<HTMLDivElement>(null)
  useEffect(() => inputs.current?.querySelectorAll<HTMLElement>('input, select, textarea')[first === undefined ? 0 : 1]?.focus(), [])
  return (
    <BulkDialog
      {...common}
      verb="changed"
      title={`Edit ${countOf(schema, rows.length)}`}
      label={`${clears ? 'Clear' : 'Change'} ${field?.Label ?? ''} of ${numberText(rows.length)}`}
      ready={field !== undefined && fault === undefined && (clears || given)}
      onRun={onEdit({ [name]: clears ? null : value })}
    >
      <div ref={inputs} className="records-bulk-form">
        <Field label="Field">
          {(control) => (
            <select
              {...control}
              value={name}
              onChange={(event) => {
                setName(event.target.value)
                setValue(undefined)
                setClears(false)
              }}
            >
              {fields.map(({ Name, Label }) => (
                <option key={Name} value={Name}>
                  {Label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {field && !clears && (
          <Field label="New value" fault={fault}>
            {(control) => <FieldInput key={name} schema={schema} control={control} kind={{ ...field, Required: false }} value={value} onChange={setValue} />}
          </Field>
        )}
        {field && !field.Required && (
          <Checkbox
            label="Clear the field"
            checked={clears}
            onChange={(checked) => {
              setClears(checked)
              setValue(undefined)
            }}
          />
        )}
      </div>
    </BulkDialog>
  )
}
