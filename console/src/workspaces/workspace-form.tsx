import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/session.ts'
import { type CreatedWorkspace, LIMIT_LABELS, LIMIT_NAMES, type Limit, type Workspace } from './workspace.ts'

const FIELDS = ['Name', 'AdminName', 'AdminEmail', ...LIMIT_NAMES]

interface Props {
  /** The workspace whose limits are edited; a new one unless given. */
  readonly workspace?: Workspace | undefined
  readonly onCreated: (created: CreatedWorkspace) => void
  readonly onSaved: () => void
  readonly onClose: () => void
}

export function WorkspaceForm({ workspace, onCreated, onSaved, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const [first] = useState(() => ({
    Name: '',
    AdminName: '',
    AdminEmail: '',
    limits: Object.fromEntries(LIMIT_NAMES.map((name) => [name, workspace?.[name]?.toString() ?? ''])) as { [name in Limit]: string },
  }))
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

  async function save() {
    setBusy(true)
    setError(undefined)
    const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, draft.limits[name].trim() === '' ? null : Number(draft.limits[name])]))
    try {
      if (workspace) {
        const { WorkspaceID, Revision: IfRevision, Name } = workspace
        const FieldsToUpdate = Object.fromEntries(Object.entries(limits).filter(([name, value]) => value !== workspace[name as Limit]))
        if (Object.keys(FieldsToUpdate).length > 0)
          await write(`Limits of ${Name} saved.`, () => crm.workspaces.update({ WorkspaceID, FieldsToUpdate, IfRevision }))
        onSaved()
      } else {
        const input = { Name: draft.Name.trim(), AdminName: orNull(draft.AdminName), AdminEmail: orNull(draft.AdminEmail), ...limits }
        onCreated(await write(`Workspace ${input.Name} created.`, () => crm.workspaces.create(input)))
      }
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title={workspace ? `Limits of ${workspace.Name}` : 'Create workspace'}
      save={workspace ? 'Save' : 'Create'}
      busy={busy}
      unsaved={JSON.stringify(draft) !== JSON.stringify(first)}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      {!workspace && (
        <>
          <Field label="Name" required hint="Lower-case letters, digits, - and _. It cannot be changed." fault={faultOf(error, 'Name')}>
            {(control) => <input {...control} value={draft.Name} maxLength={80} autoComplete="off" onChange={(event) => set({ Name: event.target.value })} />}
          </Field>
          <Field label="Name of its first admin" hint="Admin unless given." fault={faultOf(error, 'AdminName')}>
            {(control) => (
              <input {...control} value={draft.AdminName} maxLength={255} autoComplete="off" onChange={(event) => set({ AdminName: event.target.value })} />
            )}
          </Field>
          <Field label="E-mail of its first admin" fault={faultOf(error, 'AdminEmail')}>
            {(control) => (
              <input {...control} inputMode="email" value={draft.AdminEmail} autoComplete="off" onChange={(event) => set({ AdminEmail: event.target.value })} />
            )}
          </Field>
        </>
      )}
      {LIMIT_NAMES.map((name) => (
        <Field key={name} label={LIMIT_LABELS[name]} hint="Leave empty for no limit." fault={faultOf(error, name) ?? faultOf(error, `FieldsToUpdate.${name}`)}>
          {(control) => (
            <input
              {...control}
              type="number"
              min={1}
              value={draft.limits[name]}
              onChange={(event) => set({ limits: { ...draft.limits, [name]: event.target.value } })}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  )
}
