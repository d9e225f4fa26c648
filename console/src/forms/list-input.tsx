import { useState } from 'react'
import { usePeople } from '../data/people-names.ts'
import { isNumber, isUser } from '../grid/cell.tsx'
import type { Control } from '../parts/field.tsx'
import { numberIn } from './typed-number.ts'
import type { ValueKind } from './value-kind.ts'
import './list-input.css'

interface Props {
  readonly control: Control
  readonly kind: ValueKind
  readonly values: readonly unknown[]
  readonly onChange: (values: readonly unknown[]) => void
}

/** Several values: checkboxes for known ones, otherwise one per line. */
export function ListInput({ control, kind, values, onChange }: Props) {
  const { people } = usePeople()
  const known: readonly (readonly [value: string, label: string])[] = isUser(kind)
    ? people.map(({ UserID, Name }) => [UserID, Name])
    : (kind.AllowedValues ?? []).map((one) => [one, one])
  const [text, setText] = useState(() => values.map(String).join('\n'))
  if (known.length === 0)
    return (
      <textarea
        {...control}
        rows={4}
        placeholder="One per line"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          const lines = event.target.value.split('\n').map((line) => line.trim())
          onChange(lines.filter(Boolean).map((line) => (isNumber(kind) ? numberIn(line) : line)))
        }}
      />
    )
  return (
    <fieldset className="list-input" id={control.id} aria-label="Values" aria-describedby={control['aria-describedby']}>
      {known.map(([value, label]) => (
        <label key={value} className="checkbox">
          <input
            type="checkbox"
            checked={values.includes(value)}
            onChange={(event) => onChange(event.target.checked ? [...values, value] : values.filter((one) => one !== value))}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}
