import { type KeyboardEvent, memo, useId } from 'react'
import { Icon } from '../parts/icon.tsx'
import { Words } from '../parts/words.tsx'
import { nameOf, type RecordSchema, type Row } from '../records/record-schema.ts'
import { RecordValue } from '../records/record-value.tsx'
import { Link } from '../routing/link.tsx'
import type { DescribedField } from '../session/session.ts'
import type { Column } from './columns.ts'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  /** What is shown below the name, where it has a value. */
  readonly facts: readonly DescribedField[]
  /** The columns it can be moved to; undefined where the key may not move it. */
  readonly targets: readonly Column[] | undefined
  readonly carried: boolean
  readonly busy: boolean
  readonly deleted: boolean
  /** The id of the text that says how to move it. */
  readonly describedBy: string
  /** Of the cards of a column, Tab reaches one. */
  readonly tabbable: boolean
  readonly onFocus: () => void
  /** Not called where the card is no longer drawn. */
  readonly onBlur: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onDragStart: () => void
  readonly onDragEnd: () => void
  readonly onMove: (to: string) => void
}

const MOST_FACTS = 4

export const BoardCard = memo(function BoardCard(props: Props) {
  const { schema, row, facts, targets, carried, busy, deleted, tabbable } = props
  const name = nameOf(schema, row)
  const id = useId()
  const movable = targets !== undefined && !busy && !deleted
  const shown = facts.filter(({ Name }) => row[Name] !== null && row[Name] !== undefined && row[Name] !== '').slice(0, MOST_FACTS)
  return (
    <li
      className={`board-card${carried ? ' board-card-carried' : ''}${deleted ? ' board-card-deleted' : ''}`}
      aria-busy={busy}
      draggable={movable}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', name)
        props.onDragStart()
      }}
      onDragEnd={props.onDragEnd}
    >
      <Link
        id={id}
        className="board-name"
        to={[...schema.path, String(row[schema.id])]}
        data-card={String(row[schema.id])}
        draggable={false}
        tabIndex={tabbable ? 0 : -1}
        aria-describedby={movable ? props.describedBy : undefined}
        onFocus={props.onFocus}
        onBlur={props.onBlur}
        onKeyDown={props.onKeyDown}
      >
        <Words>{name}</Words>
      </Link>
      {shown.length > 0 && (
        <dl>
          {shown.map((field) => (
            <div key={field.Name}>
              <dt className="seen-by-readers">{field.Label}</dt>
              <dd title={field.Label} className={field.Type === 'money' ? 'board-amount' : undefined}>
                <RecordValue schema={schema} field={field} row={row} linked={false} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {movable && (
        <span className="board-move">
          <Icon name="more" size={16} />
          {/* For those who can neither drag nor press keys. */}
          <select aria-label={`Move ${name}`} title="Move" value="" tabIndex={tabbable ? 0 : -1} onChange={(event) => props.onMove(event.target.value)}>
            <option value="" disabled>
              Move to
            </option>
            {targets.map(({ state, label }) => (
              <option key={label} value={state ?? ''}>
                {label}
              </option>
            ))}
          </select>
        </span>
      )}
    </li>
  )
})
