import type { CrmError } from 'crm-connector'
import { recordType } from 'crm-connector/contract'
import { type ComponentType, useState } from 'react'
import { useLive } from '../data/live.tsx'
import { Value } from '../grid/cell.tsx'
import { Button } from '../parts/button.tsx'
import { Page, type PageProps } from '../parts/page.tsx'
import { Refusal, RefusalLine, Skeleton } from '../parts/states.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { Time } from '../parts/values.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { Breadcrumb } from './breadcrumb.tsx'
import { Campaigns } from './campaigns.tsx'
import { ConvertDialog } from './convert-dialog.tsx'
import { CONVERTED } from './convertible.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { KeyFacts } from './key-facts.tsx'
import { Members } from './members.tsx'
import { MissingRecord } from './missing-record.tsx'
import { RecordFields } from './record-fields.tsx'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { StagePath } from './stage-path.tsx'
import { Timeline } from './timeline.tsx'
import { useRecord } from './use-record.ts'
import './record-page.css'

interface Props {
  readonly schema: RecordSchema
  readonly id: string
  /** What it is shown in: a page, or a panel beside the table. */
  readonly frame?: ComponentType<PageProps>
  /** Begins with the edit dialog. */
  readonly editing?: boolean
  readonly onWritten?: () => void
  /** After it was deleted. */
  readonly onDeleted?: () => void
}

/** One record with its timeline and campaigns. */
export function RecordPage({ schema, id, frame: Frame = Page, editing = false, onWritten = () => {}, onDeleted = () => go(schema.path) }: Props) {
  const [version, setTurn] = useState(0)
  const { answer, error, reload } = useRecord(schema, id, version)
  const refresh = () => setTurn((n) => n + 1)
  useLive((event) => {
    if (event.RecordID === id) refresh()
  })
  if (error?.code === 'not_found' || (answer && !answer.row && !error)) return <MissingRecord schema={schema} id={id} frame={Frame} onRestored={refresh} />
  if (error && !answer)
    return (
      <Frame title={`This ${schema.one}`} above={<Breadcrumb schema={schema} id={id} name={`…${id.slice(-6)}`} />}>
        <Refusal error={error} reload={reload} />
      </Frame>
    )
  if (!answer?.row)
    return (
      <Frame title="…" above={<Breadcrumb schema={schema} id={id} name="…" />}>
        <div className="record">
          <Skeleton height="18rem" />
          <Skeleton height="18rem" />
        </div>
      </Frame>
    )
  return (
    <RecordView
      schema={schema}
      row={answer.row}
      frame={Frame}
      editing={editing}
      version={version}
      error={error}
      onChanged={() => {
        refresh()
        onWritten()
      }}
      onDeleted={() => {
        onDeleted()
        onWritten()
      }}
    />
  )
}

interface RecordViewProps extends Required<Omit<Props, 'id' | 'onWritten'>> {
  readonly row: Row
  /** Grows with each event of the record, to reload its parts. */
  readonly version: number
  /** Why the CRM does not show it as it is now. */
  readonly error: CrmError | undefined
  readonly onChanged: () => void
}

function RecordView({ schema, row, frame: Frame, editing, version, error, onChanged, onDeleted }: RecordViewProps) {
  const { may } = useSession()
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'convert' | undefined>(editing ? 'edit' : undefined)
  const state = schema.fields.find(({ Name }) => Name === schema.state)
  const close = () => setDialog(undefined)
  const done = () => {
    close()
    onChanged()
  }
  const edit = () => setDialog('edit')
  useKeys({ e: schema.operation('update') && edit })
  return (
    <Frame
      title={nameOf(schema, row)}
      above={<Breadcrumb schema={schema} id={String(row[schema.id])} name={nameOf(schema, row)} />}
      about={
        <span className="record-about">
          {state && <Value field={state} value={row[state.Name]} />}
          {typeof row.AsOf === 'string' && (
            <span className="soft" role="status">
              as of <Time at={row.AsOf} past />
            </span>
          )}
        </span>
      }
      acts={
        <>
          {schema.operation('convert') && row.Status !== CONVERTED && (
            <Button icon="contacts" onClick={() => setDialog('convert')}>
              Convert
            </Button>
          )}
          {schema.operation('update') && (
            <Button icon="edit" onClick={edit}>
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
      {error && <RefusalLine error={error} />}
      <KeyFacts schema={schema} row={row} />
      <StagePath schema={schema} row={row} onChanged={onChanged} />
      <div className="record">
        <RecordFields schema={schema} row={row} onChanged={onChanged} />
        <div className="record-column">
          {recordType(schema.recordType).children.some(({ type }) => type === 'Membership') && <Campaigns schema={schema} row={row} onChanged={onChanged} />}
          {schema.recordType === 'Campaign' && may('get_many_changes') && <Members schema={schema} row={row} version={version} />}
          <Timeline schema={schema} row={row} version={version} onChanged={onChanged} />
        </div>
      </div>
      {dialog === 'edit' && <EditDialog schema={schema} row={row} onClose={close} onDone={done} onUndone={onChanged} />}
      {dialog === 'convert' && <ConvertDialog schema={schema} row={row} onClose={close} onDone={done} onUndone={onChanged} />}
      {dialog === 'delete' && (
        <DeleteDialog schema={schema} row={row} onClose={close} onDone={onDeleted} onUndone={() => go([...schema.path, String(row[schema.id])])} />
      )}
    </Frame>
  )
}
