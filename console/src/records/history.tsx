import { recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { messageOf } from '../data/error-text.ts'
import { usePages } from '../data/pages.ts'
import { changeSentence, isDeletion } from '../journal/change-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
import { useToast } from '../parts/toasts.tsx'
import { Person, Time } from '../parts/values.tsx'
import { type Session, useSession } from '../session/session.ts'
import { flat } from './calls.ts'
import { labelsOf, type RecordSchema } from './record-schema.ts'

export type Change = Awaited<ReturnType<Session['crm']['changes']['getMany']>>['Records'][number]

interface Props {
  readonly schema: RecordSchema
  readonly id: string
  readonly version: number
  readonly onUndone: () => void
}

/** The changes of a record, newest first. */
export function History({ schema, id, version, onUndone }: Props) {
  const { crm } = useSession()
  const { rows, more, next, loading, error } = usePages<Change>(
    (Cursor, signal) => crm.changes.getMany({ Filters: { RecordID: id, RecordType: schema.recordType }, Limit: 25, ...(Cursor && { Cursor }) }, { signal }),
    [crm, id, schema.recordType, version],
  )
  return (
    <Card title="History">
      {error && <RefusalLine error={error} />}
      {rows.length === 0 && loading && <Skeleton height="8rem" />}
      {rows.length === 0 && !loading && !error && <p className="soft record-none">No changes that you may see.</p>}
      <ul className="record-list">
        {rows.map((change, nth) => (
          <HistoryLine key={change.ChangeID} schema={schema} change={change} undoable={isLatest(change, rows.slice(0, nth))} onUndone={onUndone} />
        ))}
      </ul>
      {more && (
        <Button className="record-more" busy={loading} onClick={next}>
          Show older
        </Button>
      )}
    </Card>
  )
}

interface LineProps {
  readonly schema: RecordSchema
  readonly change: Change
  readonly undoable: boolean
  readonly onUndone: () => void
}

function HistoryLine({ schema, change, undoable, onUndone }: LineProps) {
  const image = (one: Change['Before']) => one && flat(schema, one)
  const refused = change.Outcome !== 'ok'
  return (
    <li>
      <div className="record-line">
        <span>
          <strong>
            <Person id={change.UserID} />
          </strong>{' '}
          {phraseOf(change, schema)}{' '}
          <span className="soft">
            · <Time at={change.At} />
          </span>
        </span>
        {refused && <Badge tone="bad">{change.Outcome.replaceAll('_', ' ')}</Badge>}
        {undoable && <UndoButton change={change} onUndone={onUndone} />}
      </div>
      {!refused && (
        <Difference
          before={image(change.Before)}
          after={image(change.After)}
          ignore={['Revision', 'UpdatedDate', 'CreatedDate', schema.id, 'NoteID', 'CommentID', 'AuthorID']}
          labels={labelsOf(schema)}
        />
      )}
    </li>
  )
}

export function UndoButton({ change, onUndone }: { readonly change: Change; readonly onUndone: () => void }) {
  const { crm, mayUndo } = useSession()
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  if (!mayUndo({ deleted: isDeletion(change) })) return null
  const undo = async () => {
    setBusy(true)
    try {
      await crm.changes.undo({ ChangeID: change.ChangeID })
      toast({ text: `Undone: ${phraseOf(change)}.` })
      onUndone()
    } catch (error) {
      toast({ text: `Not undone: ${messageOf(error)}`, bad: true })
    }
    setBusy(false)
  }
  return (
    <Button small icon="undo" busy={busy} onClick={() => void undo()}>
      Undo
    </Button>
  )
}

/** Only the latest change of the record, or of one note or membership, can be undone. */
function isLatest(change: Change, later: readonly Change[]): boolean {
  if (change.EventType === null || change.EventType.endsWith('.erased') || (change.Before === null && change.After === null)) return false
  return !later.some((one) => one.EventType !== null && targetOf(one) === targetOf(change))
}

/** The id of what was changed: the record, or one of its notes, comments or memberships. */
function targetOf({ Before, After, RecordType }: Change): unknown {
  const image = After ?? Before ?? {}
  const { id } = recordType(RecordType)
  return image.NoteID ?? image.CommentID ?? (RecordType !== 'Campaign' ? image.CampaignID : undefined) ?? image[id]
}

/** `changed Status of this lead` on the page of the record, otherwise with its name. */
function phraseOf(change: Change, schema?: RecordSchema): string {
  const { before, typeName, name, after } = changeSentence(change)
  return name === undefined ? before + after : `${before}${schema ? `this ${schema.one}` : `${typeName} ‘${name}’`}${after}`
}
