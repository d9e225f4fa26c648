import { useState } from 'react'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Conflict } from './conflict.tsx'
import { conversionFault } from './convertible.ts'
import { FieldInputs } from './field-inputs.tsx'
import { labelsOf, nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { useSuggested } from './suggested.ts'
import { useSave } from './use-save.ts'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

export const isSame = (one: unknown, other: unknown) => one === other || JSON.stringify(one) === JSON.stringify(other)

/** Edits a record. If it has changed since, nothing is overwritten without asking. */
export function EditDialog({ schema, row, onClose, onDone, onUndone }: Props) {
  const [base, setBase] = useState(row)
  const [typed, setTyped] = useState<Row>({})
  const { save, busy, error, current, resolve } = useSave(schema, { onDone, onUndone })
  const fields = useSuggested(schema, schema.editableFields)
  const names = fields.map(({ Name }) => Name)
  const changes = Object.fromEntries(Object.entries(typed).filter(([name, value]) => !isSame(value, base[name] ?? null)))
  const changed = Object.keys(changes).length > 0
  const converts = Object.entries(changes).flatMap(([name, value]) => {
    const fault = conversionFault(schema, name, value)
    return fault === undefined ? [] : [[name, fault] as const]
  })
  const continueFrom = (now: Row) => {
    setBase(now)
    resolve()
  }
  return (
    <FormDialog
      title={`Edit ${nameOf(schema, row)}`}
      save="Save"
      busy={busy}
      disabled={!changed || converts.length > 0 || current !== undefined}
      unsaved={changed && !busy}
      error={hasOtherFaults(error, names) ? error : undefined}
      onSave={() => void save(base, changes)}
      onClose={onClose}
    >
      {current && (
        <Conflict
          schema={schema}
          base={base}
          current={current}
          mine={changes}
          onDiscard={() => {
            setTyped({})
            continueFrom(current)
          }}
          onOverwrite={() => {
            continueFrom(current)
            void save(current, changes)
          }}
        />
      )}
      <FieldInputs
        schema={schema}
        fields={fields}
        values={{ ...base, ...typed }}
        faults={{ ...faultsOf(error, names, labelsOf(schema)), ...Object.fromEntries(converts) }}
        onChange={(field, value) => setTyped({ ...typed, [field]: value ?? null })}
      />
    </FormDialog>
  )
}
