import { recordType as contractOf } from 'crm-connector/contract'
import { useState } from 'react'
import { nameFor } from '../custom-objects/drafts.ts'
import { useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { type DescribedField, useSession } from '../session/session.ts'
import { DEFINITION, hasValues, KINDS, kindOf, kindText, TARGETS } from './field-kinds.ts'

interface Props {
  readonly recordType: string
  /** The field to change; a new one unless given. */
  readonly field?: DescribedField | undefined
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

const FIELDS = ['Label', 'FieldName', 'Kind', 'Values', 'RefersTo', 'Required', 'Unique', 'Indexed']

const aboutOf = (name: string) => DEFINITION[name]?.description

/** Defines a field of one's own, or changes what can be changed of one. */
export function FieldForm({ recordType, field, onDone, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [first] = useState({
    Label: field?.Label ?? '',
    /** Derived from the label until one is typed. */
    FieldName: field?.Name,
    Kind: field ? kindOf(field) : 'text',
    Values: (field?.AllowedValues ?? []).join('\n'),
    RefersTo: field?.RefersTo ?? 'Company',
    Required: field?.Required ?? false,
    Unique: field?.Unique ?? false,
    Indexed: false,
  })
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const name = draft.FieldName ?? nameFor(draft.Label)
  const values = draft.Values.split('\n').flatMap((line) => line.trim() || [])

  async function save() {
    setBusy(true)
    setError(undefined)
    try {
      if (field) await change(field)
      else await define()
      await onDone()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  async function define() {
    const { Kind, RefersTo, Required, Unique, Indexed } = draft
    const input = {
      RecordType: recordType,
      FieldName: name,
      Kind,
      ...(draft.Label.trim() !== '' && { Label: draft.Label.trim() }),
      ...(hasValues(Kind) && values.length > 0 && { Values: values }),
      ...(Kind === 'reference' && { RefersTo }),
      Required,
      Unique,
      Indexed,
    } as Parameters<typeof crm.fields.define>[0]
    await write(`${draft.Label.trim() || name} defined.`, () => crm.fields.define(input))
  }

  async function change({ Name, Label, AllowedValues, Required, Unique }: DescribedField) {
    const FieldsToUpdate = {
      ...(draft.Label.trim() !== Label && { Label: draft.Label.trim() }),
      ...(hasValues(draft.Kind) && values.join('\n') !== (AllowedValues ?? []).join('\n') && { Values: values.length > 0 ? values : null }),
      ...(draft.Required !== Required && { Required: draft.Required }),
      ...(draft.Unique !== Unique && { Unique: draft.Unique }),
    }
    if (Object.keys(FieldsToUpdate).length === 0) return
    const input = { RecordType: recordType, FieldName: Name, FieldsToUpdate } as Parameters<typeof crm.fields.update>[0]
    await write(`${draft.Label.trim()} saved.`, () => crm.fields.update(input))
  }

  return (
    <FormDialog
      title={field ? `Edit ${field.Label}` : `Define a field of ${contractOf(recordType).plural}`}
      save={field ? 'Save' : 'Define'}
      busy={busy}
      disabled={name === ''}
      unsaved={!busy && JSON.stringify(draft) !== JSON.stringify(first)}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      <Field label="Label" required fault={faultOf(error, 'Label')}>
        {(control) => <input {...control} value={draft.Label} maxLength={255} autoComplete="off" onChange={(event) => set({ Label: event.target.value })} />}
      </Field>
      {!field && (
        <Field label="Name" hint="Programs use it. It cannot be changed." fault={faultOf(error, 'FieldName')}>
          {(control) => (
            <input
              {...control}
              className="mono"
              value={name}
              maxLength={80}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => set({ FieldName: event.target.value || undefined })}
            />
          )}
        </Field>
      )}
      {!field && (
        <Field label="Kind" hint={aboutOf('Kind')} fault={faultOf(error, 'Kind')}>
          {(control) => (
            <select {...control} value={draft.Kind} onChange={(event) => set({ Kind: event.target.value })}>
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {kindText(kind)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {!field && draft.Kind === 'reference' && (
        <Field label="Refers to" hint={aboutOf('RefersTo')} fault={faultOf(error, 'RefersTo')}>
          {(control) => (
            <select {...control} value={draft.RefersTo} onChange={(event) => set({ RefersTo: event.target.value })}>
              {TARGETS.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      {hasValues(draft.Kind) && (
        <Field label="Values" hint="One per line. Without any, every value is accepted." fault={faultOf(error, 'Values')}>
          {(control) => <textarea {...control} rows={5} value={draft.Values} onChange={(event) => set({ Values: event.target.value })} />}
        </Field>
      )}
      <Checkbox
        label="Required"
        hint="Every new record needs a value, and none can be cleared."
        checked={draft.Required}
        onChange={(Required) => set({ Required })}
      />
      {(!field || field.Unique) && (
        <Checkbox label="Unique" hint="No two records may have the same value." checked={draft.Unique} onChange={(Unique) => set({ Unique })} />
      )}
      {!field && draft.Kind !== 'reference' && (
        <Checkbox
          label="Indexed"
          hint="Filters and orders by it are quick among many records. Unique fields always are."
          checked={draft.Indexed || draft.Unique}
          disabled={draft.Unique}
          onChange={(Indexed) => set({ Indexed })}
        />
      )}
    </FormDialog>
  )
}
