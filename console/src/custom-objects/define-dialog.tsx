import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/session.ts'
import { draftsOf, nameOfField, newField } from './drafts.ts'
import { FieldLines } from './field-lines.tsx'
import './objects.css'

interface Props {
  /** The object to add fields to; a new one unless given. */
  readonly objectName?: string
  readonly onClose: () => void
  readonly onDone: (objectName: string) => Promise<void> | void
}

/** Defines an object, or fields of one. The API defines fields only together with a record, so a record is created too. */
export function DefineDialog({ objectName, onClose, onDone }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [name, setName] = useState(objectName ?? '')
  const [fields, setFields] = useState(() => [newField()])
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const drafts = draftsOf(fields)
  const names = ['ObjectName', ...fields.map(nameOfField)]
  const faults = faultsOf(error, names)

  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const done = objectName === undefined ? `${name} defined.` : `Fields added to ${name}.`
      const input = { ObjectName: name, Fields: drafts }
      await write(done, (options) => crm.customObjects.create(input, options), undefined, { input })
      await onDone(name)
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <FormDialog
      wide
      title={objectName === undefined ? 'Define an object' : `Add fields to ${objectName}`}
      save={objectName === undefined ? 'Define' : 'Add fields'}
      busy={busy}
      disabled={name === '' || Object.keys(drafts).length === 0}
      unsaved={!busy && (Object.keys(drafts).length > 0 || name !== (objectName ?? ''))}
      error={hasOtherFaults(error, names) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      <p className="soft">
        {objectName === undefined
          ? 'An object is created together with its first record, which has the values that you enter.'
          : 'Fields are created together with a record, which has the values that you enter.'}
      </p>
      {objectName === undefined && (
        <Field label="Object name" required hint="A letter, then letters, digits and underscores: Boat." fault={faults.ObjectName}>
          {(control) => <input {...control} value={name} maxLength={80} autoComplete="off" onChange={(event) => setName(event.target.value)} />}
        </Field>
      )}
      <div className="define-fields">
        <h3>Fields</h3>
        <FieldLines fields={fields} faults={faults} onChange={setFields} />
        <div>
          <Button small icon="plus" onClick={() => setFields([...fields, newField()])}>
            Add field
          </Button>
        </div>
      </div>
    </FormDialog>
  )
}
