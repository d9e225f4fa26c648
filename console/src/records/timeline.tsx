import { useUndone } from '../journal/use-undone.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { shownText } from '../parts/visible-text.ts'
import { Words } from '../parts/words.tsx'
import { AddNote } from './add-note.tsx'
import { type Change, HistoryLine, isLatest, UndoButton, useHistory } from './history.tsx'
import { type NoteKind, noteKindOf, useNotes } from './notes.ts'
import type { RecordSchema, Row } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  /** Grows with each event of the record. */
  readonly version: number
  readonly onChanged: () => void
}

/** Either a note or comment, with the change that it came with, or another change. */
interface Entry {
  readonly at: number
  readonly note?: Row
  readonly change?: Change | undefined
}

/** The notes or comments of a record and its changes as one list, newest first. */
export function Timeline({ schema, row, version, onChanged }: Props) {
  const kind = noteKindOf(schema)
  const noted = useNotes(schema, kind, row)
  const history = useHistory(schema, String(row[schema.id]), version)
  const attach = schema.operation('attach')
  const isUndone = useUndone(history.rows)
  const isUndoable = (change: Change) => isLatest(change, history.rows.slice(0, history.rows.indexOf(change)))

  const additions = new Map(history.rows.filter((change) => kind && addedBy(change, kind)).map((change) => [change.After?.[kind?.id ?? ''], change]))
  const shownNotes = new Set(noted.notes.map((note) => note[kind?.id ?? '']))
  const notes: Entry[] = noted.notes.map((note) => ({ at: Date.parse(String(note.CreatedDate)), note, change: additions.get(note[kind?.id ?? '']) }))
  const changes: Entry[] = history.rows
    .filter((change) => !(kind && addedBy(change, kind) && shownNotes.has(change.After?.[kind.id])))
    .map((change) => ({ at: Date.parse(change.At), change }))
  // What is older than the end of a list that goes on would have gaps.
  const ends = [
    { end: notes.at(-1)?.at, source: noted },
    { end: history.rows.length > 0 ? Date.parse(history.rows.at(-1)?.At ?? '') : undefined, source: history },
  ].flatMap(({ end, source }) => (source.more && end !== undefined ? [{ end, source }] : []))
  const from = Math.max(Number.NEGATIVE_INFINITY, ...ends.map(({ end }) => end))
  const entries = [...notes, ...changes].filter(({ at }) => at >= from).sort((one, other) => other.at - one.at)
  const loading = noted.loading || history.loading
  const error = history.error ?? noted.error

  return (
    <Card title="Timeline">
      {attach && kind && <AddNote schema={schema} attach={attach} kind={kind} row={row} onChanged={onChanged} />}
      {error && <RefusalLine error={error} />}
      {entries.length === 0 && loading && <Skeleton height="8rem" />}
      {entries.length === 0 && !loading && !error && <Nothing>Nothing yet that you may see.</Nothing>}
      <ul className="record-list">
        {entries.map(({ note, change }) =>
          note && kind ? (
            <NoteLine key={String(note[kind.id])} note={note} kind={kind} undoable={change && isUndoable(change) ? change : undefined} onUndone={onChanged} />
          ) : (
            change && (
              <HistoryLine key={change.ChangeID} schema={schema} change={change} undoable={isUndoable(change)} undone={isUndone(change)} onUndone={onChanged} />
            )
          ),
        )}
      </ul>
      {ends.length > 0 && (
        <Button
          className="record-more"
          busy={loading}
          onClick={() => {
            for (const { end, source } of ends) if (end === from) source.next()
          }}
        >
          Show older
        </Button>
      )}
    </Card>
  )
}

/** Whether the change added a note, which then stands for it. */
const addedBy = ({ Outcome, Before, After }: Change, { id }: NoteKind): boolean => Outcome === 'ok' && Before === null && After?.[id] !== undefined

interface NoteProps {
  readonly note: Row
  readonly kind: NoteKind
  /** The change that added it, if that can be undone. */
  readonly undoable: Change | undefined
  readonly onUndone: () => void
}

function NoteLine({ note, kind: { type, text, flag }, undoable, onUndone }: NoteProps) {
  return (
    <li>
      <div className="record-line">
        <span>
          <strong>
            <Person id={String(note.AuthorID)} />
          </strong>{' '}
          wrote a {type.toLowerCase()}{' '}
          <span className="soft">
            · <Time at={String(note.CreatedDate)} />
          </span>
        </span>
        {flag !== undefined && (note[flag] ? <Badge tone="good">Published</Badge> : <Badge>Internal</Badge>)}
        {undoable && <UndoButton change={undoable} onUndone={onUndone} />}
      </div>
      <p>
        <Words>{shownText(String(note[text]))}</Words>
      </p>
    </li>
  )
}
