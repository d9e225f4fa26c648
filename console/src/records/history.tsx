import { recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { type Pages, usePages } from '../data/pages.ts'
import { type NameOfRecord, useRecordNames } from '../data/record-names.ts'
import { useUndo } from '../data/undo.ts'
import { refusedUndo } from '../data/undo-refusal.ts'
import { changeSentence, isDeletion } from '../journal/change-text.ts'
import { isCreation, UndoCreationDialog } from '../journal/undo-creation.tsx'
import { useUndone } from '../journal/use-undone.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine, Skeleton } from '../parts/states.tsx'
import { useToast } from '../parts/toasts.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Words } from '../parts/words.tsx'
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

/** The changes of a record, newest first; none where the key may not read changes. */
export function useHistory(schema: RecordSchema, id: string, version: number): Pages<Change> {
  const { crm, may } = useSession()
  const allowed = may('get_many_changes')
  return usePages<Change>(
    async (Cursor, signal) =>
      allowed
        ? await crm.changes.getMany({ Filters: { RecordID: id, RecordType: schema.recordType }, Limit: 25, ...(Cursor && { Cursor }) }, { signal })
        : { Records: [], NextCursor: null },
    [crm, allowed, id, schema.recordType, version],
  )
}

export function History({ schema, id, version, onUndone }: Props) {
  const { rows, more, next, loading, error } = useHistory(schema, id, version)
  const isUndone = useUndone(rows)
  return (
    <Card title="History">
      {error && <RefusalLine error={error} />}
      {rows.length === 0 && loading && <Skeleton height="8rem" />}
      {rows.length === 0 && !loading && !error && <Nothing>No changes that you may see.</Nothing>}
      <ul className="record-list">
        {rows.map((change, nth) => (
          <HistoryLine
            key={change.ChangeID}
            schema={schema}
            change={change}
            undoable={isLatest(change, rows.slice(0, nth))}
            undone={isUndone(change)}
            onUndone={onUndone}
          />
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
  readonly undone: boolean
  readonly onUndone: () => void
}

export function HistoryLine({ schema, change, undoable, undone, onUndone }: LineProps) {
  const image = (one: Change['Before']) => one && flat(schema, one)
  const refused = change.Outcome !== 'ok'
  const nameOf = useRecordNames()
  return (
    <li>
      <div className="record-line">
        <span>
          <strong>
            <Person id={change.UserID} />
          </strong>{' '}
          <Words>{phraseOf(change, schema, nameOf)}</Words>{' '}
          <span className="soft">
            · <Time at={change.At} />
          </span>
        </span>
        {refused && <Badge tone="bad">{change.Outcome.replaceAll('_', ' ')}</Badge>}
        {!refused && change.Operation === 'undo_change' && <Badge tone="accent">Undoes an earlier change</Badge>}
        {undone ? (
          <Button small icon="undo" disabled>
            Undone
          </Button>
        ) : (
          undoable && <UndoButton change={change} onUndone={onUndone} />
        )}
      </div>
      {!refused && (
        <Difference
          before={image(change.Before)}
          after={image(change.After)}
          ignore={['Revision', 'UpdatedDate', 'CreatedDate', schema.id, 'NoteID', 'CommentID', 'AuthorID']}
          recordType={schema.recordType}
          labels={labelsOf(schema)}
        />
      )}
    </li>
  )
}

export function UndoButton({ change, onUndone }: { readonly change: Change; readonly onUndone: () => void }) {
  const { mayUndo } = useSession()
  const toast = useToast()
  const undoChange = useUndo()
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState(false)
  if (!mayUndo({ deleted: isDeletion(change) })) return null
  const undo = async () => {
    setBusy(true)
    try {
      await undoChange({ ChangeID: change.ChangeID, revision: (change.After ?? change.Before)?.Revision })
      toast({ text: `Undone: ${phraseOf(change)}.` })
      onUndone()
    } catch (error) {
      toast(refusedUndo(error))
    }
    setBusy(false)
  }
  return (
    <>
      <Button small icon="undo" busy={busy} onClick={() => (isCreation(change) ? setAsking(true) : void undo())}>
        Undo
      </Button>
      {asking && <UndoCreationDialog change={change} onConfirm={undo} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Only the latest change of the record, or of one note or membership, can be undone. */
export function isLatest(change: Change, later: readonly Change[]): boolean {
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
function phraseOf(change: Change, schema?: RecordSchema, nameOfRecord?: NameOfRecord): string {
  const { before, typeName, name, after } = changeSentence(change, nameOfRecord)
  return name === undefined ? before + after : `${before}${schema ? `this ${schema.one}` : `${typeName} ‘${name}’`}${after}`
}
