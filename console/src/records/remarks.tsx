import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { useWrite } from '../data/write.ts'
import { faultsOf, isElsewhere } from '../forms/faults.ts'
import { useLeaving } from '../forms/leaving.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText, Person, Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import type { Kind, Row } from './kind.ts'

interface Props {
  readonly kind: Kind
  readonly hanging: { readonly list: string; readonly total: string; readonly type: string }
  readonly row: Row
  readonly onChanged: () => void
}

/** The notes or comments of a record, newest first. The record brings the first of them, and the rest is asked for. */
export function Remarks({ kind, hanging, row, onChanged }: Props) {
  const [all, setAll] = useState(false)
  const type = recordType(hanging.type)
  // What a person writes, and what is said beside it.
  const written = Object.entries(type.fields).filter(([, field]) => field.access === 'create')
  const text = written.find(([, field]) => field.kind === 'longText')?.[0] ?? hanging.type
  const flag = written.find(([, field]) => field.kind === 'boolean')
  const first = (row[hanging.list] as readonly Row[] | undefined) ?? []
  const total = Number(row[hanging.total] ?? first.length)
  const attach = kind.operation('attach')
  return (
    <Card title={`${hanging.list} (${numberText(total)})`}>
      {attach && <Add kind={kind} attach={attach} row={row} text={text} flag={flag && { name: flag[0], hint: flag[1].description }} onChanged={onChanged} />}
      {total === 0 && <p className="soft record-none">There are none yet.</p>}
      {all ? (
        <All type={hanging.type} id={String(row[kind.id])} text={text} flag={flag?.[0]} turn={total} />
      ) : (
        <RemarkList remarks={first} text={text} flag={flag?.[0]} id={type.id} />
      )}
      {!all && total > first.length && (
        <Button className="record-more" onClick={() => setAll(true)}>
          Show older ones
        </Button>
      )}
    </Card>
  )
}

function RemarkList({
  remarks,
  text,
  flag,
  id,
}: {
  readonly remarks: readonly Row[]
  readonly text: string
  readonly flag: string | undefined
  readonly id: string
}) {
  return (
    <ul className="record-list">
      {remarks.map((remark) => (
        <li key={String(remark[id])}>
          <div className="record-line soft">
            <Person id={String(remark.AuthorID)} /> <Time at={String(remark.CreatedDate)} />
            {flag !== undefined && (remark[flag] ? <Badge tone="good">Published</Badge> : <Badge>Internal</Badge>)}
          </div>
          <p>{String(remark[text])}</p>
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
  /** Changes when there are more or fewer. */
  readonly turn: number
}

/** Every one of them, page by page. */
function All({ type, id, text, flag, turn }: AllProps) {
  const { crm } = useSession()
  const { hangsOn, id: idField } = recordType(type)
  const operation = (OPERATIONS as readonly Operation[]).find((one) => one.verb === 'getAttached' && one.record.name === type)
  const { rows, more, next, asking, error } = usePages<Row>(
    async (Cursor, signal) =>
      (await crm.call(operation?.id ?? '', { [hangsOn?.field ?? '']: id, Limit: 100, ...(Cursor && { Cursor }) }, { signal })) as {
        Records: Row[]
        NextCursor: string | null
      },
    [crm, id, turn],
  )
  return (
    <>
      <RemarkList remarks={rows} text={text} flag={flag} id={idField} />
      {error && <RefusalLine error={error} />}
      {(more || asking) && (
        <Button className="record-more" busy={asking} onClick={next}>
          Show older ones
        </Button>
      )}
    </>
  )
}

interface AddProps {
  readonly kind: Kind
  readonly attach: Operation
  readonly row: Row
  readonly text: string
  readonly flag: { readonly name: string; readonly hint: string | undefined } | undefined
  readonly onChanged: () => void
}

function Add({ kind, attach, row, text, flag, onChanged }: AddProps) {
  const { crm } = useSession()
  const write = useWrite()
  const [typed, setTyped] = useState('')
  const [flagged, setFlagged] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  useLeaving(typed.trim() !== '' && !busy)
  const add = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const input = { [kind.id]: row[kind.id], [text]: typed, ...(flag && { [flag.name]: flagged }) }
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
      {isElsewhere(error, [text]) && <RefusalLine error={error} />}
      <div className="record-add-acts">
        {flag ? <Checkbox label="Publish" hint="The customer sees it." checked={flagged} onChange={setFlagged} /> : <span />}
        <Button type="submit" small busy={busy} disabled={typed.trim() === ''}>
          Add {text.toLowerCase()}
        </Button>
      </div>
    </form>
  )
}
