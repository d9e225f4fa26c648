import { ValueInput } from '../../forms/value-input.tsx'
import type { Control } from '../../parts/field.tsx'
import { useDraft } from './draft.ts'

const KINDS = { text: 'Text', number: 'Number', boolean: 'Yes or no', null: 'null' } as const
type Kind = keyof typeof KINDS

const kindOf = (value: unknown): Kind => (value === null ? 'null' : typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text')

const FIRST: { readonly [K in Kind]: unknown } = { text: undefined, number: undefined, boolean: true, null: null }

interface Props {
  readonly control: Control
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** A value of any type; the user chooses which. */
export function AnyValue({ control, label, value, onChange }: Props) {
  const [draft, setDraft] = useDraft(
    value,
    (given) => ({ kind: kindOf(given), value: given }),
    ({ value }) => value,
    onChange,
  )
  return (
    <div className="form-any">
      <select
        aria-label={`${label}: type`}
        value={draft.kind}
        onChange={(event) => setDraft({ kind: event.target.value as Kind, value: FIRST[event.target.value as Kind] })}
      >
        {Object.entries(KINDS).map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </select>
      {draft.kind === 'null' ? (
        <input {...control} value="null" readOnly className="mono" />
      ) : (
        <ValueInput
          control={control}
          kind={{ Name: '', Type: draft.kind, Required: draft.kind === 'boolean' }}
          value={draft.value}
          onChange={(value) => setDraft({ ...draft, value })}
        />
      )}
    </div>
  )
}
