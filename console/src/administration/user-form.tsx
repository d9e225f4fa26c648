import type { User } from 'crm-connector'
import { ROLES, type Role } from 'crm-connector/contract'
import { useState } from 'react'
import { usePeople } from '../data/people-names.ts'
import { useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/session.ts'

const ABOUT: { readonly [role in Role]: string } = {
  admin: 'An admin sees and administers everything.',
  manager: 'A manager sees their own records and those of everyone below.',
  member: 'A member sees their own records.',
}

const FIELDS = ['Name', 'Email', 'Role', 'ManagerID', 'PlatformUserID', 'Active']

interface Props {
  /** The user to edit; a new one unless given. */
  readonly user?: User | undefined
  readonly onDone: () => void
  readonly onClose: () => void
}

export function UserForm({ user, onDone, onClose }: Props) {
  const { crm, description, ownStore } = useSession()
  const { people } = usePeople()
  const write = useWrite()
  const [first] = useState({
    Name: user?.Name ?? '',
    Email: user?.Email ?? '',
    Role: user?.Role ?? ('member' as Role),
    ManagerID: user?.ManagerID ?? '',
    PlatformUserID: user?.PlatformUserID ?? '',
    Active: user?.Active ?? true,
  })
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

  async function save() {
    setBusy(true)
    setError(undefined)
    const { Active, ...rest } = draft
    const values = {
      ...rest,
      Name: draft.Name.trim(),
      Email: orNull(draft.Email),
      ManagerID: orNull(draft.ManagerID),
      PlatformUserID: orNull(draft.PlatformUserID),
    }
    try {
      if (user) {
        const wanted = { ...values, Active }
        const FieldsToUpdate = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== user[name as keyof User]))
        const { UserID, Revision: IfRevision } = user
        if (Object.keys(FieldsToUpdate).length > 0) await write(`${values.Name} saved.`, () => crm.users.update({ UserID, FieldsToUpdate, IfRevision }))
      } else await write(`${values.Name} added.`, () => crm.users.create(values))
      onDone()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title={user ? `Edit ${user.Name}` : 'Add user'}
      save={user ? 'Save' : 'Add'}
      busy={busy}
      unsaved={JSON.stringify(draft) !== JSON.stringify(first)}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      <Field label="Name" required fault={faultOf(error, 'Name')}>
        {(control) => <input {...control} value={draft.Name} maxLength={255} autoComplete="off" onChange={(event) => set({ Name: event.target.value })} />}
      </Field>
      <Field label="E-mail" fault={faultOf(error, 'Email')}>
        {(control) => (
          <input {...control} type="text" inputMode="email" value={draft.Email} autoComplete="off" onChange={(event) => set({ Email: event.target.value })} />
        )}
      </Field>
      <Field label="Role" hint={ABOUT[draft.Role]} fault={faultOf(error, 'Role')}>
        {(control) => (
          <select {...control} value={draft.Role} onChange={(event) => set({ Role: event.target.value as Role })}>
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Manager" hint="The user they report to." fault={faultOf(error, 'ManagerID')}>
        {(control) => (
          <select {...control} value={draft.ManagerID} onChange={(event) => set({ ManagerID: event.target.value })}>
            <option value="">None</option>
            {people.map(
              ({ UserID, Name }) =>
                UserID !== user?.UserID && (
                  <option key={UserID} value={UserID}>
                    {Name}
                  </option>
                ),
            )}
          </select>
        )}
      </Field>
      {!ownStore && (
        <Field label="External user" hint={`The id of this user in ${description.Platform}.`} fault={faultOf(error, 'PlatformUserID')}>
          {(control) => (
            <input {...control} value={draft.PlatformUserID} autoComplete="off" onChange={(event) => set({ PlatformUserID: event.target.value })} />
          )}
        </Field>
      )}
      {user && <Checkbox label="Active" hint="The keys of an inactive user are refused." checked={draft.Active} onChange={(Active) => set({ Active })} />}
    </FormDialog>
  )
}
