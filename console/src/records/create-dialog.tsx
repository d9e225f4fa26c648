import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, isElsewhere } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { hrefOf } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { createRow } from './calls.ts'
import { FieldInputs } from './field-inputs.tsx'
import { type Kind, labelsOf, nameOf, type Row } from './kind.ts'
import { useSuggested } from './suggested.ts'

interface Props {
  readonly kind: Kind
  readonly onClose: () => void
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

/** Makes a new record of what the operation takes. */
export function CreateDialog({ kind, onClose, onDone, onUndone }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [values, setValues] = useState<Row>({})
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const fields = useSuggested(kind, kind.drafted)
  const names = fields.map(({ Name }) => Name)
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const row = await write(
        `${kind.titles.some((title) => given[title]) ? nameOf(kind, given) : kind.one} created.`,
        (options) => createRow(crm, kind, given, options),
        onUndone,
        { input: given, open: (made) => hrefOf([...kind.path, String(made[kind.id])]) },
      )
      onDone(row)
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title={`New ${kind.one}`}
      save="Create"
      busy={busy}
      unsaved={Object.keys(given).length > 0 && !busy}
      error={isElsewhere(error, names) ? error : undefined}
      onSave={save}
      onClose={onClose}
    >
      <FieldInputs
        fields={fields}
        values={values}
        faults={faultsOf(error, names, labelsOf(kind))}
        onChange={(field, value) => setValues({ ...values, [field]: value })}
      />
    </FormDialog>
  )
}

/** What a toast says was done to a record. */
export const saying = (kind: Kind, row: Row, done: string) => `${nameOf(kind, row)} ${done}.`
