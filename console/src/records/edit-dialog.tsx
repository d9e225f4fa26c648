import { CrmError } from 'crm-connector'
import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, isElsewhere } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { useSession } from '../session/session.ts'
import { readRow, updateRow } from './calls.ts'
import { Conflict } from './conflict.tsx'
import { saying } from './create-dialog.tsx'
import { FieldInputs } from './field-inputs.tsx'
import { type Kind, labelsOf, nameOf, type Row } from './kind.ts'
import { useSuggested } from './suggested.ts'

interface Props {
  readonly kind: Kind
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

/** Changes a record, unless somebody else has changed it since. */
export function EditDialog({ kind, row, onClose, onDone, onUndone }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [base, setBase] = useState(row)
  const [typed, setTyped] = useState<Row>({})
  const [error, setError] = useState<unknown>()
  const [theirs, setTheirs] = useState<Row>()
  const [busy, setBusy] = useState(false)
  const fields = useSuggested(kind, kind.changeable)
  const names = fields.map(({ Name }) => Name)
  const changes = Object.fromEntries(Object.entries(typed).filter(([name, value]) => value !== (base[name] ?? null)))
  const changed = Object.keys(changes).length > 0

  const save = async (onto: Row) => {
    setBusy(true)
    setError(undefined)
    try {
      const input = { changes, Revision: onto.Revision }
      onDone(await write(saying(kind, { ...onto, ...changes }, 'saved'), (options) => updateRow(crm, kind, onto, changes, options), onUndone, { input }))
      return
    } catch (refusal) {
      const now = refusal instanceof CrmError && refusal.code === 'conflict' ? await readRow(crm, kind, String(row[kind.id])).catch(() => undefined) : undefined
      if (now && now.Revision !== onto.Revision) setTheirs(now)
      else setError(refusal)
    }
    setBusy(false)
  }
  const settle = (now: Row) => {
    setBase(now)
    setTheirs(undefined)
  }
  return (
    <FormDialog
      title={`Edit ${nameOf(kind, row)}`}
      save="Save"
      busy={busy}
      disabled={!changed || theirs !== undefined}
      unsaved={changed && !busy}
      error={isElsewhere(error, names) ? error : undefined}
      onSave={() => void save(base)}
      onClose={onClose}
    >
      {theirs && (
        <Conflict
          kind={kind}
          base={base}
          theirs={theirs}
          onTake={() => {
            setTyped({})
            settle(theirs)
          }}
          onKeep={() => {
            settle(theirs)
            void save(theirs)
          }}
        />
      )}
      <FieldInputs
        fields={fields}
        values={{ ...base, ...typed }}
        faults={faultsOf(error, names, labelsOf(kind))}
        onChange={(field, value) => setTyped({ ...typed, [field]: value ?? null })}
      />
    </FormDialog>
  )
}
