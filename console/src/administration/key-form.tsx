import type { Crm } from 'crm-connector'
import { useState } from 'react'
import { usePeople } from '../data/people-names.ts'
import { useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { momentText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { ScopeMatrix } from './scope-matrix.tsx'
import { ScopePresets } from './scope-presets.tsx'
import { covers, tidy } from './scopes.ts'

export type CreatedKey = Extract<Awaited<ReturnType<Crm['keys']['create']>>, { Key: unknown }>

/** When a key expires: never, after so many days, or at the end of a chosen day. */
const TERMS = [
  ['', 'Never'],
  ['7', 'In a week'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['day', 'On a chosen day'],
] as const

const DAY_MS = 86_400_000
const FIELDS = ['Label', 'UserID', 'Scopes', 'ExpiresDate', 'Confirm']

interface Props {
  readonly userId: string | undefined
  readonly onCreated: (key: CreatedKey) => void
  readonly onClose: () => void
}

export function KeyForm({ userId, onCreated, onClose }: Props) {
  const { crm, me } = useSession()
  const { people } = usePeople()
  const write = useWrite()
  const [label, setLabel] = useState('')
  const [user, setUser] = useState(userId ?? me.UserID)
  const [scopes, setScopes] = useState<readonly string[]>([])
  const [term, setTerm] = useState<string>('90')
  const [day, setDay] = useState('')
  const [confirm, setConfirm] = useState(me.Confirm !== null)
  const [person, setPerson] = useState(me.Confirm === 'person')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const typed = JSON.stringify([label, user, scopes, term, day, confirm, person])
  const [untouched] = useState(typed)
  const role = people.find(({ UserID }) => UserID === user)?.Role ?? me.Role
  const allowed = (scope: string) => covers(me.Scopes, scope) && (role === 'admin' || !/^(admin|operator)/.test(scope))

  function expires(): string | undefined {
    if (term === '') return undefined
    if (term === 'day') return day === '' ? undefined : new Date(`${day}T23:59:59`).toISOString()
    return new Date(Date.now() + Number(term) * DAY_MS).toISOString()
  }

  async function create() {
    setBusy(true)
    setError(undefined)
    const ExpiresDate = expires()
    const input = {
      UserID: user,
      Scopes: tidy(scopes.filter(allowed)),
      ...(label.trim() !== '' && { Label: label.trim() }),
      ...(ExpiresDate && { ExpiresDate }),
      ...(confirm && { Confirm: person ? ('person' as const) : ('deletes' as const) }),
    }
    try {
      onCreated(await write('Key created.', () => crm.keys.create(input)))
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title="Create key"
      save="Create"
      busy={busy}
      unsaved={typed !== untouched}
      disabled={scopes.filter(allowed).length === 0}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void create()}
      onClose={onClose}
    >
      <Field label="Label" hint="What the key is for." fault={faultOf(error, 'Label')}>
        {(control) => <input {...control} value={label} maxLength={255} onChange={(event) => setLabel(event.target.value)} autoComplete="off" />}
      </Field>
      <Field label="User" hint="The key can see and do what this user can." fault={faultOf(error, 'UserID')}>
        {(control) => (
          <select {...control} value={user} onChange={(event) => setUser(event.target.value)}>
            {people.map(({ UserID, Name, Role, Active }) => (
              <option key={UserID} value={UserID}>
                {`${Name} (${Role}${Active ? '' : ', inactive'})`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <ScopeMatrix
        scopes={scopes}
        onChange={setScopes}
        allowed={allowed}
        fault={faultOf(error, 'Scopes')}
        presets={
          <ScopePresets
            scopes={scopes.filter(allowed)}
            allowed={allowed}
            onChoose={(preset) => {
              setScopes(preset.scopes)
              setConfirm(preset.confirm || me.Confirm !== null)
            }}
          />
        }
      />
      <Field
        label="Expires"
        hint={me.ExpiresDate ? `At most until your own key expires: ${momentText(me.ExpiresDate)}.` : undefined}
        fault={faultOf(error, 'ExpiresDate')}
      >
        {(control) => (
          <select {...control} value={term} onChange={(event) => setTerm(event.target.value)}>
            {TERMS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      {term === 'day' && (
        <Field label="Last day">{(control) => <input {...control} type="date" value={day} onChange={(event) => setDay(event.target.value)} />}</Field>
      )}
      <Checkbox
        label="Deletions wait for approval"
        hint="Nothing is deleted until it is confirmed. Recommended for agents."
        checked={confirm}
        disabled={me.Confirm !== null}
        onChange={setConfirm}
      />
      {confirm && (
        <Checkbox
          label="Only a person approves them"
          hint="Each deletion waits until a person allows it under Approvals, or another key does. An agent cannot."
          checked={person}
          disabled={me.Confirm === 'person'}
          onChange={setPerson}
        />
      )}
    </FormDialog>
  )
}
