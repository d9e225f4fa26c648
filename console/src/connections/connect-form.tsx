import { useEffect, useState } from 'react'
import { messageOf, useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import { AddressInput } from './address-input.tsx'
import type { AuthorizationLink } from './authorize.ts'
import type { Connection } from './connection-record.ts'
import type { ConnectableCrm, Way } from './crms.ts'
import { OptionInputs, type Options, optionsIn } from './option-inputs.tsx'
import { isComplete, SecretInputs, type Secrets, secretsFor } from './secret-inputs.tsx'
import { WayChoice } from './way-choice.tsx'
import { type Allows, WhoAllows } from './who-allows.tsx'

const FIELDS = ['Address', 'Label', 'Secrets', 'Options']

const METHODS = [
  { id: 'browser', label: 'Allow in the browser' },
  { id: 'secrets', label: 'Enter secrets' },
] as const

interface Props {
  readonly crm: ConnectableCrm
  /** Called with the created connection, and the link that is to be sent, where one was asked for. */
  readonly onDone: (connection: Connection, link?: AuthorizationLink) => void
  readonly onClose: () => void
}

export function ConnectForm({ crm, onDone, onClose }: Props) {
  const session = useSession()
  const write = useWrite()
  const toast = useToast()
  const [method, setMethod] = useState<(typeof METHODS)[number]['id']>(crm.browser ? 'browser' : 'secrets')
  const [secretsWay, setSecretsWay] = useState<Way>(crm.ways[0] as Way)
  const [allows, setAllows] = useState<Allows>('me')
  const [draft, setDraft] = useState({ address: '', label: '', inUse: true })
  const [secrets, setSecrets] = useState<Secrets>({})
  const [options, setOptions] = useState<Options>([])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [advanced, setAdvanced] = useState(false)
  const [done, setDone] = useState<{ readonly connection: Connection; readonly link?: AuthorizationLink }>()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })

  const browser = method === 'browser' ? crm.browser : undefined
  const way = browser ?? secretsWay
  const hasAdvancedFault = ['Options', ...(crm.address.optional ? ['Address'] : [])].some((field) => faultOf(error, field) !== undefined)
  const unsaved = draft.address !== '' || draft.label !== '' || options.length > 0 || Object.values(secrets).some(Boolean)

  // In an effect, when the form no longer asks whether to leave it.
  useEffect(() => {
    if (!done) return
    if (!done.link || allows === 'other') return onDone(done.connection, done.link)
    window.location.assign(done.link.Link)
    // Back in the browser shows the page as it was left.
    onClose()
  }, [done])

  async function connect() {
    setBusy(true)
    setError(undefined)
    const { connections } = session.crm
    const input = {
      Platform: crm.platform,
      SignIn: method,
      Address: draft.address.trim() || null,
      Label: draft.label.trim() || null,
      Options: options.length > 0 ? optionsIn(options) : null,
      Secrets: secretsFor(way, secrets),
      InUse: draft.inUse,
    }
    let created: Connection
    try {
      created = (await write(browser ? 'Connection created.' : `${crm.label} connected.`, () => connections.create(input))) as Connection
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
      return
    }
    setSecrets({})
    if (!browser) return setDone({ connection: created })
    try {
      setDone({ connection: created, link: await connections.authorize({ ConnectionID: created.ConnectionID }) })
    } catch (refusal) {
      toast({ text: messageOf(refusal), bad: true })
      setDone({ connection: created })
    }
  }

  return (
    <FormDialog
      title={`Connect ${crm.label}`}
      save={browser ? (allows === 'me' ? `Continue to ${crm.label}` : 'Create link') : 'Connect'}
      busy={busy}
      unsaved={unsaved && !done}
      disabled={!busy && !(isComplete(way, secrets) && (crm.address.optional || draft.address.trim() !== ''))}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void connect()}
      onClose={onClose}
    >
      {crm.browser && <Tabs label="How to connect" tabs={METHODS} shown={method} onShow={setMethod} />}
      {browser ? (
        <p className="soft connect-about">
          {browser.about} The app must have the redirect address <code>{`${session.baseUrl}/connect/callback`}</code>.
        </p>
      ) : (
        <WayChoice ways={crm.ways} chosen={secretsWay} onChoose={setSecretsWay} />
      )}
      {!crm.address.optional && <AddressInput crm={crm} value={draft.address} fault={faultOf(error, 'Address')} onChange={(address) => set({ address })} />}
      <SecretInputs way={way} secrets={secrets} error={error} onChange={setSecrets} />
      {browser && <WhoAllows crm={crm.label} allows={allows} onChange={setAllows} />}
      <Field label="Label" hint="A name for the account in this console." fault={faultOf(error, 'Label')}>
        {(control) => <input {...control} value={draft.label} maxLength={255} autoComplete="off" onChange={(event) => set({ label: event.target.value })} />}
      </Field>
      <Checkbox
        label={browser ? 'Use it for this workspace once it is connected' : 'Use it for this workspace now'}
        hint="Records are then read from and written to this account. Records elsewhere stay there, and are hidden meanwhile."
        checked={draft.inUse}
        onChange={(inUse) => set({ inUse })}
      />
      <details className="connect-advanced" open={advanced || hasAdvancedFault} onToggle={(event) => setAdvanced(event.currentTarget.open)}>
        <summary>Advanced</summary>
        <div>
          {crm.address.optional && <AddressInput crm={crm} value={draft.address} fault={faultOf(error, 'Address')} onChange={(address) => set({ address })} />}
          <OptionInputs options={options} error={error} onChange={setOptions} />
        </div>
      </details>
    </FormDialog>
  )
}
