import { CrmError } from 'crm-connector'
import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { useSession } from '../session/session.ts'
import { readRow, updateRow } from './calls.ts'
import { Conflict } from './conflict.tsx'
import { doneText } from './create-dialog.tsx'
import { FieldInputs } from './field-inputs.tsx'
import { labelsOf, nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { useSuggested } from './suggested.ts'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

const isSame = (one: unknown, other: unknown) => one === other || JSON.stringify(one) === JSON.stringify(other)

/** Edits a record. If it has changed since, nothing is overwritten without asking. */
export function EditDialog({ schema, row, onClose, onDone, onUndone }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [base, setBase] = useState(row)
  const [typed, setTyped] = useState<Row>({})
  const [error, setError] = useState<unknown>()
  const [current, setCurrent] = useState<Row>()
  const [busy, setBusy] = useState(false)
  const fields = useSuggested(schema, schema.editableFields)
  const names = fields.map(({ Name }) => Name)
  const changes = Object.fromEntries(Object.entries(typed).filter(([name, value]) => !isSame(value, base[name] ?? null)))
  const changed = Object.keys(changes).length > 0

  const save = async (onto: Row) => {
    setBusy(true)
    setError(undefined)
    try {
      const input = { changes, Revision: onto.Revision }
      onDone(await write(doneText(schema, { ...onto, ...changes }, 'saved'), (options) => updateRow(crm, schema, onto, changes, options), onUndone, { input }))
      return
    } catch (refusal) {
      const now =
        refusal instanceof CrmError && refusal.code === 'conflict' ? await readRow(crm, schema, String(row[schema.id])).catch(() => undefined) : undefined
      if (now && now.Revision !== onto.Revision) setCurrent(now)
      else setError(refusal)
    }
    setBusy(false)
  }
  const continueFrom = (now: Row) => {
    setBase(now)
    setCurrent(undefined)
  }
  return (
    <FormDialog
      title={`Edit ${nameOf(schema, row)}`}
      save="Save"
      busy={busy}
      disabled={!changed || current !== undefined}
      unsaved={changed && !busy}
      error={hasOtherFaults(error, names) ? error : undefined}
      onSave={() => void save(base)}
      onClose={onClose}
    >
      {current && (
        <Conflict
          schema={schema}
          base={base}
          current={current}
          onDiscard={() => {
            setTyped({})
            continueFrom(current)
          }}
          onOverwrite={() => {
            continueFrom(current)
            void save(current)
          }}
        />
      )}
      <FieldInputs
        schema={schema}
        fields={fields}
        values={{ ...base, ...typed }}
        faults={faultsOf(error, names, labelsOf(schema))}
        onChange={(field, value) => setTyped({ ...typed, [field]: value ?? null })}
      />
    </FormDialog>
  )
}
