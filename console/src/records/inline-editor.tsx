import { type KeyboardEvent, type Ref, useEffect, useId, useImperativeHandle, useRef, useState } from 'react'
import { unknownChoice } from '../forms/choice-input.tsx'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { useLeaveGuard } from '../forms/leave-guard.ts'
import { IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { type DescribedField, useSession } from '../session/session.ts'
import { readRow } from './calls.ts'
import { Conflict } from './conflict.tsx'
import { ConvertDialog } from './convert-dialog.tsx'
import { isConversion } from './convertible.ts'
import { isSame } from './edit-dialog.tsx'
import { FieldInput } from './field-inputs.tsx'
import { labelsOf, nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { useSuggested } from './suggested.ts'
import { useSave } from './use-save.ts'
import './inline-editor.css'

/** Leaves the editor: saves what was changed. Resolves to false where that is refused, and the editor stays. */
export type Leave = () => Promise<boolean>

interface Props {
  readonly leave?: Ref<Leave>
  readonly schema: RecordSchema
  readonly field: DescribedField
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

const SEVERAL_LINES: readonly string[] = ['longText', 'json', 'choices']

/** Edits one field where its value is shown. Enter saves, with Ctrl where it begins a line; Esc gives up. A lead becomes converted by its conversion. */
export function InlineEditor({ leave, schema, field, row, onClose, onDone, onUndone }: Props) {
  const { crm } = useSession()
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const [base] = useState(row)
  const before = base[field.Name] ?? null
  const [value, setValue] = useState<unknown>(before)
  const { save, busy, error, current, resolve } = useSave(schema, { onDone, onUndone })
  const [converting, setConverting] = useState<Row>()
  const [kind = field] = useSuggested(schema, [field])
  const changes = { [field.Name]: value ?? null }
  const changed = !isSame(value ?? null, before)
  const fault = faultsOf(error, [field.Name], labelsOf(schema))[field.Name]
  useLeaveGuard(changed && !busy)
  useEffect(() => {
    const input = inputOf(form.current)
    input?.focus()
    if (input instanceof HTMLInputElement) input.select()
  }, [])
  useEffect(() => {
    if (error !== undefined) inputOf(form.current)?.focus()
  }, [error])

  // The rows of a table have the fields of its columns only.
  const readWhole = () => readRow(crm, schema, String(base[schema.id])).catch(() => undefined)
  const saving = useRef<Promise<boolean>>(undefined)
  const submit: Leave = async () => {
    const unknown = form.current && unknownChoice(form.current)
    if (unknown) unknown.focus()
    else if (!changed) onClose()
    else if (field.Name === schema.state && isConversion(schema, value)) setConverting((await readWhole()) ?? base)
    else {
      if (!busy) saving.current = save(base, changes)
      return (await saving.current) ?? false
    }
    return !unknown && !changed
  }
  useImperativeHandle(leave, () => submit)
  const change = (next: unknown) => {
    setValue(next)
    // A record that was picked is meant.
    if (schema.references.some((one) => one.field === field.Name)) saving.current = save(base, { [field.Name]: next ?? null })
  }
  const onKey = (event: KeyboardEvent) => {
    // What is picked in a dialog is not typed here.
    if (event.defaultPrevented || !form.current?.contains(event.target as Node)) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && !isButton(event.target) && (event.ctrlKey || event.metaKey || !SEVERAL_LINES.includes(field.Type))) void submit()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <form
      ref={form}
      className="inline-editor field"
      aria-label={`Edit ${field.Label}`}
      noValidate
      onKeyDown={onKey}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!changed && document.hasFocus() && !currentTarget.contains(relatedTarget) && !document.querySelector('dialog[open]')) onClose()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label className="seen-by-readers" htmlFor={id}>
        {field.Label}
      </label>
      <div className="inline-editor-line">
        <FieldInput
          schema={schema}
          control={{ id, 'aria-invalid': fault !== undefined, 'aria-describedby': fault ? `${id}-fault` : undefined }}
          kind={kind}
          value={value}
          onChange={change}
        />
        <IconButton type="submit" icon="check" label="Save" small busy={busy} />
        <IconButton icon="close" label="Cancel" small onClick={onClose} />
      </div>
      {fault && (
        <p className="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
      {hasOtherFaults(error, [field.Name]) && <RefusalLine error={error} />}
      {converting && (
        <ConvertDialog schema={schema} row={converting} onClose={onClose} onDone={async () => onDone((await readWhole()) ?? converting)} onUndone={onUndone} />
      )}
      {current && (
        <Dialog title={`${nameOf(schema, current)} was not saved`} onClose={onClose}>
          <Conflict
            schema={schema}
            base={base}
            current={current}
            mine={changes}
            onDiscard={() => onDone(current)}
            onOverwrite={() => {
              resolve()
              void save(current, changes)
            }}
          />
        </Dialog>
      )}
    </form>
  )
}

const inputOf = (form: HTMLFormElement | null) => form?.querySelector<HTMLElement>('input, select, textarea, button')

const isButton = (target: EventTarget) => target instanceof HTMLButtonElement
