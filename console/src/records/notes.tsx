import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { useWrite } from '../data/write.ts'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { useLeaveGuard } from '../forms/leave-guard.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText, Person, Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import type { RecordSchema, Row } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly child: { readonly list: string; readonly total: string; readonly type: string }
  readonly row: Row
  readonly onChanged: () => void
}

/** The notes or comments of a record, newest first. The first 100 come with the record, the rest page by page. */
export function Notes({ schema, child, row, onChanged }: Props) {
  const [all, setAll] = useState(false)
  const type = recordType(child.type)
  // The text, and the flag beside it (Publish).
  const written = Object.entries(type.fields).filter(([, field]) => field.access === 'create')
  const text = written.find(([, field]) => field.kind === 'longText')?.[0] ?? child.type
  const flag = written.find(([, field]) => field.kind === 'boolean')
  const first = (row[child.list] as readonly Row[] | undefined) ?? []
  const total = Number(row[child.total] ?? first.length)
  const attach = schema.operation('attach')
  return (
    <Card title={`${child.list} (${numberText(total)})`}>
      {attach && (
        <Add schema={schema} attach={attach} row={row} text={text} flag={flag && { name: flag[0], hint: flag[1].description }} onChanged={onChanged} />
      )}
      {total === 0 && <p className="soft record-none">No {child.list.toLowerCase()} yet.</p>}
      {all ? (
        <All type={child.type} id={String(row[schema.id])} text={text} flag={flag?.[0]} version={total} />
      ) : (
        <NoteList notes={first} text={text} flag={flag?.[0]} id={type.id} />
      )}
      {!all && total > first.length && (
        <Button className="record-more" onClick={() => setAll(true)}>
          Show older
        </Button>
      )}
    </Card>
  )
}

function NoteList({
  notes,
  text,
  flag,
  id,
}: {
  readonly notes: readonly Row[]
  readonly text: string
  readonly flag: string | undefined
  readonly id: string
}) {
  return (
    <ul className="record-list">
      {notes.map((note) => (
        <li key={String(note[id])}>
          <div className="record-line soft">
            <Person id={String(note.AuthorID)} /> <Time at={String(note.CreatedDate)} />
            {flag !== undefined && (note[flag] ? <Badge tone="good">Published</Badge> : <Badge>Internal</Badge>)}
          </div>
          <p>{String(note[text])}</p>
        </li>
      ))}
    </ul>
  )
}

interface AllProps {
  readonly type: string
  readonly id: string
  readonly text: string
  readonly flag: string | undefined
  /** Reloads when the number changes. */
  readonly version: number
}

function All({ type, id, text, flag, version }: AllProps) {
  const { crm } = useSession()
  const { childOf, id: idField } = recordType(type)
  const operation = (OPERATIONS as readonly Operation[]).find((one) => one.verb === 'getAttached' && one.record.name === type)
  const { rows, more, next, loading, error } = usePages<Row>(
    async (Cursor, signal) =>
      (await crm.call(operation?.id ?? '', { [childOf?.field ?? '']: id, Limit: 100, ...(Cursor && { Cursor }) }, { signal })) as {
        Records: Row[]
        NextCursor: string | null
      },
    [crm, id, version],
  )
  return (
    <>
      <NoteList notes={rows} text={text} flag={flag} id={idField} />
      {error && <RefusalLine error={error} />}
      {(more || loading) && (
        <Button className="record-more" busy={loading} onClick={next}>
          Show older
        </Button>
      )}
    </>
  )
}

interface AddProps {
  readonly schema: RecordSchema
  readonly attach: Operation
  readonly row: Row
  readonly text: string
  readonly flag: { readonly name: string; readonly hint: string | undefined } | undefined
  readonly onChanged: () => void
}

function Add({ schema, attach, row, text, flag, onChanged }: AddProps) {
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
      const input = { [schema.id]: row[schema.id], [text]: typed, ...(flag && { [flag.name]: flagged }) }
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
        {flag ? <Checkbox label="Publish" hint="Visible to the customer." checked={flagged} onChange={setFlagged} /> : <span />}
        <Button type="submit" small busy={busy} disabled={typed.trim() === ''}>
          Add {text.toLowerCase()}
        </Button>
      </div>
    </form>
  )
}
