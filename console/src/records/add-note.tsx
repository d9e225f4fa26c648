import type { Operation } from 'crm-connector/contract'
import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { useLeaveGuard } from '../forms/leave-guard.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import type { NoteKind } from './notes.ts'
import type { RecordSchema, Row } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly attach: Operation
  readonly kind: NoteKind
  readonly row: Row
  readonly onChanged: () => void
}

/** Writes a note or comment on a record. */
export function AddNote({ schema, attach, kind: { text, flag }, row, onChanged }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [typed, setTyped] = useState('')
  const [flagged, setFlagged] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  useLeaveGuard(typed.trim() !== '' && !busy)
  const add = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const input = { [schema.id]: row[schema.id], [text]: typed, ...(flag !== undefined && { [flag]: flagged }) }
      await write(`${text} added.`, (options) => crm.call(attach.id, input, options), onChanged, { input })
      setTyped('')
      setFlagged(false)
      onChanged()
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return (
    <form
      className="record-add"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') void add()
      }}
    >
      <Field label={`New ${text.toLowerCase()}`} fault={faultsOf(error, [text])[text]}>
        {(control) => <textarea {...control} rows={2} className="value-text" value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      {hasOtherFaults(error, [text]) && <RefusalLine error={error} />}
      <div className="record-add-acts">
        {flag !== undefined ? <Checkbox label="Publish" hint="Visible to the customer." checked={flagged} onChange={setFlagged} /> : <span />}
        <Button type="submit" small busy={busy} disabled={typed.trim() === ''}>
          Add {text.toLowerCase()}
        </Button>
      </div>
    </form>
  )
}
