import { useState } from 'react'
import type { Control } from '../parts/field.tsx'

interface Props {
  readonly control: Control
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** JSON as text. What is no JSON is passed on as it was typed, for the service to refuse. */
export function JsonInput({ control, value, onChange }: Props) {
  const [text, setText] = useState(() => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2)))
  return (
    <textarea
      {...control}
      className="value-text mono"
      rows={3}
      spellCheck={false}
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        onChange(jsonIn(event.target.value))
      }}
    />
  )
}

function jsonIn(typed: string): unknown {
  if (typed.trim() === '') return undefined
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}
