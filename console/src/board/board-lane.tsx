import { type ReactNode, useId } from 'react'
import { Button } from '../parts/button.tsx'
import { moneyText } from '../parts/money.ts'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import type { RecordSchema, Row } from '../records/record-schema.ts'
import type { Column } from './columns.ts'
import type { Lane } from './lanes.ts'
import { Seen } from './seen.tsx'

interface Props {
  readonly schema: RecordSchema
  readonly column: Column
  readonly lane: Lane
  /** The name of the card that would be dropped here. */
  readonly incoming: string | undefined
  readonly onMore: () => void
  /** Whether what is dragged may be dropped here. */
  readonly onDragOver: () => boolean
  readonly onDrop: () => void
  readonly children: (row: Row) => ReactNode
}

/** A column of the board: the figures of the summary, and the cards that are loaded. */
export function BoardLane({ schema, column, lane, incoming, onMore, onDragOver, onDrop, children }: Props) {
  const id = useId()
  const { label, count, amount } = column
  const figures = `${numberText(count)} ${count === 1 ? schema.one : schema.many}${amount === undefined ? '' : ` · ${moneyText(amount)}`}`
  const isLoading = lane.cursor === undefined ? count > 0 : lane.cursor !== null
  return (
    <section
      className={`board-lane${incoming === undefined ? '' : ' board-lane-over'}`}
      aria-labelledby={id}
      data-lane={label}
      onDragOver={(event) => {
        if (!onDragOver()) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
      }}
      onDrop={(event) => {
        event.preventDefault()
        onDrop()
      }}
    >
      <header>
        <h2 id={id} title={label}>
          {label}
        </h2>
        <p className="soft">{figures}</p>
      </header>
      <ul>
        {incoming !== undefined && (
          <li className="board-incoming" aria-hidden="true">
            {incoming}
          </li>
        )}
        {lane.rows.map(children)}
        {lane.error ? (
          <li className="board-fault">
            <RefusalLine error={lane.error} />
            <Button small icon="reload" onClick={onMore}>
              Try again
            </Button>
          </li>
        ) : (
          isLoading && <Seen key={String(lane.cursor)} height={lane.rows.length > 0 ? '3rem' : '5.5rem'} onSeen={onMore} />
        )}
      </ul>
    </section>
  )
}
