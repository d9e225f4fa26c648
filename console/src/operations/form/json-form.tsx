import { Field } from '../../parts/field.tsx'
import { parseInput } from './json.ts'

interface Props {
  readonly text: string
  readonly onChange: (text: string) => void
}

export function JsonForm({ text, onChange }: Props) {
  const { fault } = parseInput(text)
  return (
    <Field label="Input as JSON" hint="Form and JSON show the same input." fault={fault}>
      {(control) => (
        <textarea
          {...control}
          className="operation-json"
          spellCheck={false}
          autoCapitalize="off"
          rows={Math.min(30, Math.max(8, text.split('\n').length + 1))}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
