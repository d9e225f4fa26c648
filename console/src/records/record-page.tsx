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
import { ConvertDialog } from './convert-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { History } from './history.tsx'
import { Members } from './members.tsx'
import { MissingRecord } from './missing-record.tsx'
import { Notes } from './notes.tsx'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { RecordValue } from './record-value.tsx'
import './record-page.css'

/** One record with its notes, campaigns and history. */
export function RecordPage({ schema, id }: { readonly schema: RecordSchema; readonly id: string }) {
  const { crm } = useSession()
  const [version, setTurn] = useState(0)
  const { answer, error, reload } = useAnswer(async (signal) => ({ row: await readRow(crm, schema, id, { signal }) }), [crm, schema, id, version])
  const refresh = () => setTurn((n) => n + 1)
  useLive((event) => {
    if (event.RecordID === id) refresh()
  })
  const back = (
    <Link to={schema.path} className="record-back">
      <Icon name="left" size={14} /> {schema.title}
    </Link>
  )
  if (error?.code === 'not_found' || (answer && !answer.row && !error)) return <MissingRecord schema={schema} id={id} back={back} onRestored={refresh} />
  if (error && !answer) return <Refusal error={error} reload={reload} />
  if (!answer?.row)
    return (
      <Page title="…" about={back}>
        <div className="record">
          <Skeleton height="18rem" />
          <Skeleton height="18rem" />
        </div>
      </Page>
    )
  return <RecordView schema={schema} row={answer.row} back={back} version={version} onChanged={refresh} />
}

interface RecordViewProps {
  readonly schema: RecordSchema
  readonly row: Row
  readonly back: React.ReactNode
  /** Grows with each event of the record, to reload its parts. */
  readonly version: number
  readonly onChanged: () => void
}

function RecordView({ schema, row, back, version, onChanged }: RecordViewProps) {
  const { may } = useSession()
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'convert'>()
  const state = schema.fields.find(({ Name }) => Name === schema.state)
  const { children } = recordType(schema.recordType)
  const close = () => setDialog(undefined)
  const done = () => {
    close()
    onChanged()
  }
  return (
    <Page
      title={nameOf(schema, row)}
      about={
        <span className="record-about">
          {back} {state && <Value field={state} value={row[state.Name]} />}
        </span>
      }
      acts={
        <>
          {schema.operation('convert') && row.Status !== 'Converted' && (
            <Button icon="contacts" onClick={() => setDialog('convert')}>
              Convert
            </Button>
          )}
          {schema.operation('update') && (
            <Button icon="edit" onClick={() => setDialog('edit')}>
              Edit
            </Button>
          )}
          {schema.operation('delete') && (
            <Button kind="danger" icon="delete" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <div className="record">
        <div className="record-column">
          <Card title={schema.objectName ?? schema.recordType}>
            <dl className="record-fields">
              {schema.fields.map((field) => (
                <div key={field.Name} className={field.Type === 'longText' ? 'record-long' : undefined}>
                  <dt>{field.Label}</dt>
                  <dd>
                    <RecordValue schema={schema} field={field} row={row} long />
                  </dd>
                </div>
              ))}
            </dl>
          </Card>
          {children
            .filter(({ type }) => type !== 'Membership')
            .map((one) => (
              <Notes key={one.list} schema={schema} child={one} row={row} onChanged={onChanged} />
            ))}
        </div>
        <div className="record-column">
          {children.some(({ type }) => type === 'Membership') && <Campaigns schema={schema} row={row} onChanged={onChanged} />}
          {schema.recordType === 'Campaign' && may('get_many_changes') && <Members schema={schema} row={row} version={version} />}
          {may('get_many_changes') && <History schema={schema} id={String(row[schema.id])} version={version} onUndone={onChanged} />}
        </div>
      </div>
      {dialog === 'edit' && <EditDialog schema={schema} row={row} onClose={close} onDone={done} onUndone={onChanged} />}
      {dialog === 'convert' && <ConvertDialog schema={schema} row={row} onClose={close} onDone={done} onUndone={onChanged} />}
      {dialog === 'delete' && (
        <DeleteDialog schema={schema} row={row} onClose={close} onDone={() => go(schema.path)} onUndone={() => go([...schema.path, String(row[schema.id])])} />
      )}
    </Page>
  )
}
