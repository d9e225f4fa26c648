import { recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { messageOf } from '../data/refusal-words.ts'
import { isGone, toldOf } from '../journal/told.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
import { useToast } from '../parts/toasts.tsx'
import { Person, Time } from '../parts/values.tsx'
import { type Session, useSession } from '../session/session.ts'
import { flat } from './calls.ts'
import { type Kind, labelsOf } from './kind.ts'

export type Change = Awaited<ReturnType<Session['crm']['changes']['getMany']>>['Records'][number]

interface Props {
  readonly kind: Kind
  readonly id: string
  readonly turn: number
  readonly onUndone: () => void
}

/** What became of a record, newest first, with the way back. */
export function History({ kind, id, turn, onUndone }: Props) {
  const { crm } = useSession()
  const { rows, more, next, asking, error } = usePages<Change>(
    (Cursor, signal) => crm.changes.getMany({ Filters: { RecordID: id, RecordType: kind.recordType }, Limit: 25, ...(Cursor && { Cursor }) }, { signal }),
    [crm, id, kind.recordType, turn],
  )
  return (
    <Card title="History">
      {error && <RefusalLine error={error} />}
      {rows.length === 0 && asking && <Skeleton height="8rem" />}
      {rows.length === 0 && !asking && !error && <p className="soft record-none">Nothing that you may see.</p>}
      <ul className="record-list">
        {rows.map((change, nth) => (
          <Line key={change.ChangeID} kind={kind} change={change} undoable={isLast(change, rows.slice(0, nth))} onUndone={onUndone} />
        ))}
      </ul>
      {more && (
        <Button className="record-more" busy={asking} onClick={next}>
          Show older ones
        </Button>
      )}
    </Card>
  )
}

interface LineProps {
  readonly kind: Kind
  readonly change: Change
  readonly undoable: boolean
  readonly onUndone: () => void
}

function Line({ kind, change, undoable, onUndone }: LineProps) {
  const image = (one: Change['Before']) => one && flat(kind, one)
  const refused = change.Outcome !== 'ok'
  return (
    <li>
      <div className="record-line">
        <span>
          <strong>
            <Person id={change.UserID} />
          </strong>{' '}
          {deedOf(change, kind)}{' '}
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
          leave={['Revision', 'UpdatedDate', 'CreatedDate', kind.id, 'NoteID', 'CommentID', 'AuthorID']}
          labels={labelsOf(kind)}
        />
      )}
    </li>
  )
}

export function UndoButton({ change, onUndone }: { readonly change: Change; readonly onUndone: () => void }) {
  const { crm, mayUndo } = useSession()
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  if (!mayUndo({ gone: isGone(change) })) return null
  const undo = async () => {
    setBusy(true)
    try {
      await crm.changes.undo({ ChangeID: change.ChangeID })
      toast({ text: `Undone: ${deedOf(change)}.` })
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

/** A change can be taken back while nothing has happened since to what it was made to. */
function isLast(change: Change, later: readonly Change[]): boolean {
  if (change.EventType === null || change.EventType.endsWith('.erased') || (change.Before === null && change.After === null)) return false
  return !later.some((one) => one.EventType !== null && thing(one) === thing(change))
}

/** What a change was made to: the record itself, or what hangs on it. */
function thing({ Before, After, RecordType }: Change): unknown {
  const image = After ?? Before ?? {}
  const { id } = recordType(RecordType)
  return image.NoteID ?? image.CommentID ?? (RecordType !== 'Campaign' ? image.CampaignID : undefined) ?? image[id]
}

/** `changed Status of this lead`: whose page it is on need not be said again. */
function deedOf(change: Change, kind?: Kind): string {
  const { before, kind: one, called, after } = toldOf(change)
  return called === undefined ? before + after : `${before}${kind ? `this ${kind.one}` : `${one} ‘${called}’`}${after}`
}
