import { Button, IconButton } from '../../parts/button.tsx'
import { useDraft } from './draft.ts'
import { type Faults, faultsUnder, faultText } from './faults.ts'
import type { ListShape, ValueShape } from './shape.ts'
import { Value } from './value.tsx'

interface Props {
  readonly name: string
  readonly shape: ListShape
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly faults: Faults
}

const TEXT: ValueShape = { kind: 'value', type: 'text', nullable: false }

/** A list of values, one per line. Empty lines are left out. */
export function ListForm({ name, shape, value, onChange, faults }: Props) {
  const item = shape.item.kind === 'value' ? shape.item : TEXT
  const [draft, setDraft] = useDraft<unknown, readonly unknown[]>(
    value,
    (given) => (Array.isArray(given) ? given : given === undefined ? [] : [given]),
    (lines) => {
      const filled = lines.filter((line) => line !== undefined)
      return filled.length === 0 ? undefined : filled
    },
    onChange,
  )
  const message = faultText(
    faults,
    draft.map((_, i) => String(i)),
  )
  return (
    <div className="form-list">
      {draft.map((line, i) => {
        const fault = faultText(faultsUnder(faults, String(i)))
        const control = { id: `${name}-${i}`, 'aria-label': `${name} ${i + 1}`, 'aria-describedby': undefined, 'aria-invalid': fault !== undefined }
        return (
          <div key={i} className="field form-line">
            <Value name="" shape={item} control={control} value={line} onChange={(next) => setDraft(draft.with(i, next))} />
            <IconButton icon="close" small label={`Remove ${name} ${i + 1}`} onClick={() => setDraft(draft.toSpliced(i, 1))} />
            {fault && <p className="field-fault">{fault}</p>}
          </div>
        )
      })}
      {message && (
        <p className="field-fault" role="alert">
          {message}
        </p>
      )}
      <Button small icon="plus" onClick={() => setDraft([...draft, undefined])}>
        Add to {name}
      </Button>
    </div>
  )
}
