import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../parts/button.tsx'
import type { DescribedField } from '../session/session.ts'
import { InlineEditor } from './inline-editor.tsx'
import type { RecordSchema, Row } from './record-schema.ts'
import { RecordValue } from './record-value.tsx'
import './editable-value.css'

interface Props {
  readonly schema: RecordSchema
  readonly field: DescribedField
  readonly row: Row
  readonly onChanged: () => void
}

export const isEditable = (schema: RecordSchema, name: string): boolean =>
  schema.operation('update') !== undefined && schema.editableFields.some(({ Name }) => Name === name)

/** The value of a field, which a click edits in its place. Links in it stay links. */
export function EditableValue({ schema, field, row, onChanged }: Props) {
  const [editing, setEditing] = useState(false)
  const edit = useRef<HTMLSpanElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    // The focus returns from where it was lost, not from where it has gone to.
    if (wasEditing.current && !editing && document.activeElement === document.body) edit.current?.querySelector('button')?.focus()
    wasEditing.current = editing
  }, [editing])
  const value = <RecordValue schema={schema} field={field} row={row} long />
  if (!isEditable(schema, field.Name)) return value
  const close = () => setEditing(false)
  if (editing)
    return (
      <InlineEditor
        schema={schema}
        field={field}
        row={row}
        onClose={close}
        onDone={() => {
          close()
          onChanged()
        }}
        onUndone={onChanged}
      />
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button is for the keyboard.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button is for the keyboard.
    <span
      ref={edit}
      className="editable"
      onClick={({ target }) => {
        if (!(target as Element).closest('a, button') && !window.getSelection()?.toString()) setEditing(true)
      }}
    >
      <span>{value}</span>
      <IconButton icon="edit" label={`Edit ${field.Label}`} small onClick={() => setEditing(true)} />
    </span>
  )
}
