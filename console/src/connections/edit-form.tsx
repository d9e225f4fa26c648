import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/session.ts'
import type { Connection } from './connection-record.ts'
import { OptionInputs, type Options, optionsIn } from './option-inputs.tsx'

const FIELDS = ['Label', 'Options']

interface Props {
  readonly connection: Connection
  readonly onDone: () => void
  readonly onClose: () => void
}

export function EditForm({ connection: given, onDone, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  // The page follows the connection; the form stays with the version it was opened with.
  const [connection] = useState(given)
  const { ConnectionID, Label, Options: options, Revision: IfRevision } = connection
  const [first] = useState({
    label: Label ?? '',
    options: Object.entries(options ?? {}).map(([name, value]) => ({ name, value })) as Options,
  })
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })

  async function save() {
    setBusy(true)
    setError(undefined)
    const FieldsToUpdate = {
      ...(draft.label.trim() !== first.label && { Label: draft.label.trim() || null }),
      ...(JSON.stringify(draft.options) !== JSON.stringify(first.options) && { Options: draft.options.length > 0 ? optionsIn(draft.options) : null }),
    }
    try {
      if (Object.keys(FieldsToUpdate).length > 0) await write('Connection saved.', () => crm.connections.update({ ConnectionID, FieldsToUpdate, IfRevision }))
      onDone()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title="Edit connection"
      save="Save"
      busy={busy}
      unsaved={JSON.stringify(draft) !== JSON.stringify(first)}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      <Field label="Label" hint="A name for the account in this console." fault={faultOf(error, 'Label')}>
        {(control) => <input {...control} value={draft.label} maxLength={255} autoComplete="off" onChange={(event) => set({ label: event.target.value })} />}
      </Field>
      <OptionInputs options={draft.options} error={error} onChange={(options) => set({ options })} />
    </FormDialog>
  )
}
