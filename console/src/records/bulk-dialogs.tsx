import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { FieldInput } from './field-inputs.tsx'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'

/** The ids of the changes that were made, and the rows that were refused. */
export interface BatchResult {
  readonly changes: readonly string[]
  readonly refused: readonly { readonly row: Row; readonly message: string }[]
}

interface Common {
  readonly schema: RecordSchema
  readonly count: number
  readonly onClose: () => void
}

export function BulkEditDialog({ schema, count, onClose, onEdit }: Common & { readonly onEdit: (changes: Row) => Promise<BatchResult> }) {
  const [name, setName] = useState(schema.state ?? schema.editableFields[0]?.Name ?? '')
  const [value, setValue] = useState<unknown>()
  const field = schema.editableFields.find(({ Name }) => Name === name)
  return (
    <BatchDialog schema={schema} title={`Edit ${count} ${schema.many}`} label="Change all" onClose={onClose} onRun={() => onEdit({ [name]: value ?? null })}>
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
            {schema.editableFields.map(({ Name, Label }) => (
              <option key={Name} value={Name}>
                {Label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {field && (
        <Field label="New value" hint={field.Required ? undefined : 'Leave empty to clear the field.'}>
          {(control) => <FieldInput schema={schema} control={control} kind={{ ...field, Required: false }} value={value} onChange={setValue} />}
        </Field>
      )}
    </BatchDialog>
  )
}

const LISTED = 8

interface BulkDelete extends Common {
  readonly rows: readonly Row[]
  readonly onDelete: () => Promise<BatchResult>
}

export function BulkDeleteDialog({ schema, count, rows, onClose, onDelete }: BulkDelete) {
  return (
    <BatchDialog schema={schema} title={`Delete ${count} ${schema.many}?`} label={`Delete ${count}`} danger onClose={onClose} onRun={onDelete}>
      <ul className="records-named">
        {rows.slice(0, LISTED).map((row) => (
          <li key={String(row[schema.id])}>{nameOf(schema, row)}</li>
        ))}
        {rows.length > LISTED && <li className="soft">and {rows.length - LISTED} more</li>}
      </ul>
      <p>Records that have changed since they were loaded are not deleted.</p>
    </BatchDialog>
  )
}

interface BatchDialogProps {
  readonly schema: RecordSchema
  readonly title: string
  readonly label: string
  readonly danger?: boolean
  readonly onClose: () => void
  readonly onRun: () => Promise<BatchResult>
  readonly children: React.ReactNode
}

/** Asks, runs the batch, and lists what was refused. */
function BatchDialog({ schema, title, label, danger = false, onClose, onRun, children }: BatchDialogProps) {
  const [result, setResult] = useState<BatchResult>()
  if (!result)
    return (
      <ConfirmDialog
        title={title}
        confirmLabel={label}
        danger={danger}
        onConfirm={onRun}
        onDone={(result) => (result.refused.length === 0 ? onClose() : setResult(result))}
        onClose={onClose}
      >
        {children}
      </ConfirmDialog>
    )
  return (
    <Dialog title={`${result.refused.length} refused`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <ul className="records-refused">
        {result.refused.slice(0, 100).map(({ row, message }) => (
          <li key={String(row[schema.id])}>
            <strong>{nameOf(schema, row)}</strong> {message}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
