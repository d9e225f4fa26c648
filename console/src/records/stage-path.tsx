import { useState } from 'react'
import { useMove } from '../board/use-move.tsx'
import { Icon } from '../parts/icon.tsx'
import type { RecordSchema, Row } from './record-schema.ts'
import { hasBoard } from './records-frame.tsx'
import { useSuggested } from './suggested.ts'
import './stage-path.css'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  readonly onChanged: () => void
}

/** The stages of a deal, or the statuses of a lead or case, in order. A click moves the record there, with Undo. */
export function StagePath(props: Props) {
  return hasBoard(props.schema) ? <Path {...props} /> : null
}

function Path({ schema, row, onChanged }: Props) {
  const state = schema.state as string
  const original = schema.fields.find(({ Name }) => Name === state)
  const [field] = useSuggested(schema, original ? [original] : [])
  const [moving, setMoving] = useState<string>()
  const { move, dialog } = useMove(schema, state, { onRow: () => {}, onMoved: onChanged, onUndone: onChanged })
  const present = row[state] as string | null
  const known = field?.AllowedValues ?? field?.SuggestedValues ?? []
  const stages = present === null || known.includes(present) ? known : [...known, present]
  const mayMove = schema.operation('update') !== undefined && schema.editableFields.some(({ Name }) => Name === state)
  if (!field || stages.length < 2) return null
  // What comes after the known stages is in no order, so that nothing was passed on the way to it.
  const ordered = field?.AllowedValues ?? original?.SuggestedValues ?? []
  const at = present === null ? -1 : ordered.indexOf(present)
  const moveTo = async (to: string) => {
    setMoving(to)
    if (!(await move(row, to))) onChanged()
    setMoving(undefined)
  }
  return (
    <nav className="stage-path" aria-label={field.Label}>
      <ol>
        {stages.map((stage, nth) => (
          <li key={stage} className={nth < at ? 'stage-past' : undefined}>
            <button
              type="button"
              aria-current={stage === present ? 'step' : undefined}
              aria-busy={stage === moving}
              aria-disabled={!mayMove || moving !== undefined || undefined}
              onClick={() => mayMove && moving === undefined && stage !== present && void moveTo(stage)}
            >
              {nth < at && <Icon name="check" size={14} />}
              <span>{stage}</span>
            </button>
          </li>
        ))}
      </ol>
      {dialog}
    </nav>
  )
}
