import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { hrefOf } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { createRow } from './calls.ts'
import { FieldInputs } from './field-inputs.tsx'
import { labelsOf, nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { useSuggested } from './suggested.ts'

interface Props {
  readonly schema: RecordSchema
  readonly onClose: () => void
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

export function CreateDialog({ schema, onClose, onDone, onUndone }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [values, setValues] = useState<Row>({})
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const fields = useSuggested(schema, schema.createFields)
  const names = fields.map(({ Name }) => Name)
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const row = await write(
        `${schema.titles.some((title) => given[title]) ? nameOf(schema, given) : schema.one} created.`,
        (options) => createRow(crm, schema, given, options),
        onUndone,
        { input: given, open: (made) => hrefOf([...schema.path, String(made[schema.id])]) },
      )
      onDone(row)
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title={`Create ${schema.one}`}
      save="Create"
      busy={busy}
      unsaved={Object.keys(given).length > 0 && !busy}
      error={hasOtherFaults(error, names) ? error : undefined}
      onSave={save}
      onClose={onClose}
    >
      <FieldInputs
        schema={schema}
        fields={fields}
        values={values}
        faults={faultsOf(error, names, labelsOf(schema))}
        onChange={(field, value) => setValues({ ...values, [field]: value })}
      />
    </FormDialog>
  )
}

export const doneText = (schema: RecordSchema, row: Row, done: string) => `${nameOf(schema, row)} ${done}.`
