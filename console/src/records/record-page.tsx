import { recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { Value } from '../grid/cell.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Refusal, Skeleton } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { readRow } from './calls.ts'
import { Campaigns } from './campaigns.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { Gone } from './gone.tsx'
import { History } from './history.tsx'
import { type Kind, nameOf, type Row } from './kind.ts'
import { Members } from './members.tsx'
import { Remarks } from './remarks.tsx'
import './record-page.css'

/** One record: what it is, what hangs on it, and what became of it. */
export function RecordPage({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const { crm } = useSession()
  const [turn, setTurn] = useState(0)
  const { answer, error, again } = useAnswer(async (signal) => ({ row: await readRow(crm, kind, id, { signal }) }), [crm, kind, id, turn])
  const afresh = () => setTurn((n) => n + 1)
  useLive((event) => {
    if (event.RecordID === id) afresh()
  })
  const back = (
    <Link to={kind.path} className="record-back">
      <Icon name="left" size={14} /> {kind.title}
    </Link>
  )
  if (error?.code === 'not_found' || (answer && !answer.row && !error)) return <Gone kind={kind} id={id} back={back} onBack={afresh} />
  if (error && !answer) return <Refusal error={error} again={again} />
  if (!answer?.row)
    return (
      <Page title="…" about={back}>
        <div className="record">
          <Skeleton height="18rem" />
          <Skeleton height="18rem" />
        </div>
      </Page>
    )
  return <Shown kind={kind} row={answer.row} back={back} turn={turn} onChanged={afresh} />
}

interface ShownProps {
  readonly kind: Kind
  readonly row: Row
  readonly back: React.ReactNode
  /** Grows whenever something may have happened to the record. */
  readonly turn: number
  readonly onChanged: () => void
}

function Shown({ kind, row, back, turn, onChanged }: ShownProps) {
  const { may } = useSession()
  const [asked, setAsked] = useState<'edit' | 'delete'>()
  const state = kind.fields.find(({ Name }) => Name === kind.state)
  const hanging = recordType(kind.recordType).hanging
  const close = () => setAsked(undefined)
  const done = () => {
    close()
    onChanged()
  }
  return (
    <Page
      title={nameOf(kind, row)}
      about={
        <span className="record-about">
          {back} {state && <Value field={state} value={row[state.Name]} />}
        </span>
      }
      acts={
        <>
          {kind.operation('update') && (
            <Button icon="edit" onClick={() => setAsked('edit')}>
              Edit
            </Button>
          )}
          {kind.operation('delete') && (
            <Button kind="danger" icon="delete" onClick={() => setAsked('delete')}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <div className="record">
        <div className="record-column">
          <Card title={kind.objectName ?? kind.recordType}>
            <dl className="record-fields">
              {kind.fields.map((field) => (
                <div key={field.Name} className={field.Type === 'longText' ? 'record-long' : undefined}>
                  <dt>{field.Label}</dt>
                  <dd>
                    <Value field={field} value={row[field.Name]} long />
                  </dd>
                </div>
              ))}
            </dl>
          </Card>
          {hanging
            .filter(({ type }) => type !== 'Membership')
            .map((one) => (
              <Remarks key={one.list} kind={kind} hanging={one} row={row} onChanged={onChanged} />
            ))}
        </div>
        <div className="record-column">
          {hanging.some(({ type }) => type === 'Membership') && <Campaigns kind={kind} row={row} onChanged={onChanged} />}
          {kind.recordType === 'Campaign' && may('get_many_changes') && <Members kind={kind} row={row} turn={turn} />}
          {may('get_many_changes') && <History kind={kind} id={String(row[kind.id])} turn={turn} onUndone={onChanged} />}
        </div>
      </div>
      {asked === 'edit' && <EditDialog kind={kind} row={row} onClose={close} onDone={done} onUndone={onChanged} />}
      {asked === 'delete' && (
        <DeleteDialog kind={kind} row={row} onClose={close} onDone={() => go(kind.path)} onUndone={() => go([...kind.path, String(row[kind.id])])} />
      )}
    </Page>
  )
}
