import { useState } from 'react'
import { ValueInput } from '../forms/value-input.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Question } from '../parts/question.tsx'
import type { Came } from './bulk.tsx'
import { type Kind, nameOf, type Row } from './kind.ts'

interface Common {
  readonly kind: Kind
  readonly count: number
  readonly onClose: () => void
}

export function BulkEditDialog({ kind, count, onClose, onEdit }: Common & { readonly onEdit: (changes: Row) => Promise<Came> }) {
  const [name, setName] = useState(kind.state ?? kind.changeable[0]?.Name ?? '')
  const [value, setValue] = useState<unknown>()
  const field = kind.changeable.find(({ Name }) => Name === name)
  return (
    <Asked kind={kind} title={`Edit a field of ${count} ${kind.many}`} label="Change all" onClose={onClose} onAct={() => onEdit({ [name]: value ?? null })}>
      <Field label="Field">
        {(control) => (
          <select
            {...control}
            value={name}
            onChange={(event) => {
              setName(event.target.value)
              setValue(undefined)
            }}
          >
            {kind.changeable.map(({ Name, Label }) => (
              <option key={Name} value={Name}>
                {Label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {field && (
        <Field label="New value" hint={field.Required ? undefined : 'Left empty, the field is cleared.'}>
          {(control) => <ValueInput control={control} kind={{ ...field, Required: false }} value={value} onChange={setValue} />}
        </Field>
      )}
    </Asked>
  )
}

/** So many are named before they go. */
const NAMED = 8

interface BulkDelete extends Common {
  readonly rows: readonly Row[]
  readonly onDelete: () => Promise<Came>
}

export function BulkDeleteDialog({ kind, count, rows, onClose, onDelete }: BulkDelete) {
  return (
    <Asked kind={kind} title={`Delete ${count} ${kind.many}?`} label={`Delete ${count}`} danger onClose={onClose} onAct={onDelete}>
      <ul className="records-named">
        {rows.slice(0, NAMED).map((row) => (
          <li key={String(row[kind.id])}>{nameOf(kind, row)}</li>
        ))}
        {rows.length > NAMED && <li className="soft">and {rows.length - NAMED} more</li>}
      </ul>
      <p>Each is deleted for itself; one that has changed since it was shown stays.</p>
    </Asked>
  )
}

interface AskedProps {
  readonly kind: Kind
  readonly title: string
  readonly label: string
  readonly danger?: boolean
  readonly onClose: () => void
  readonly onAct: () => Promise<Came>
  readonly children: React.ReactNode
}

/** Asks, acts, and says what was refused and why. */
function Asked({ kind, title, label, danger = false, onClose, onAct, children }: AskedProps) {
  const [came, setCame] = useState<Came>()
  if (!came)
    return (
      <Question
        title={title}
        yes={label}
        danger={danger}
        onYes={onAct}
        onDone={(result) => (result.refused.length === 0 ? onClose() : setCame(result))}
        onClose={onClose}
      >
        {children}
      </Question>
    )
  return (
    <Dialog title={`${came.refused.length} were not done`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <ul className="records-refused">
        {came.refused.slice(0, 100).map(({ row, message }) => (
          <li key={String(row[kind.id])}>
            <strong>{nameOf(kind, row)}</strong> {message}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
