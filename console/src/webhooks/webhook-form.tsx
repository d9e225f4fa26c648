import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { useSession } from '../session/session.ts'
import { EventChoice } from './event-choice.tsx'
import type { SecretWebhook, Webhook } from './webhook.ts'

const FIELDS = ['URL', 'Label', 'EventTypes', 'Active']

interface Props {
  /** The webhook to edit; a new one unless given. */
  readonly webhook?: Webhook
  /** Called with the created webhook and its secret; without one after an edit. */
  readonly onDone: (created?: SecretWebhook) => void
  readonly onClose: () => void
}

export function WebhookForm({ webhook: given, onDone, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  // The page polls the webhook; the form stays with the version it was opened with.
  const [webhook] = useState(given)
  const [first] = useState({
    URL: webhook?.URL ?? '',
    Label: webhook?.Label ?? '',
    EventTypes: (webhook?.EventTypes ?? ['*']) as readonly string[],
    Active: webhook?.Active ?? true,
  })
  const [draft, setDraft] = useState(first)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })

  async function save() {
    setBusy(true)
    setError(undefined)
    const input = { ...draft, URL: draft.URL.trim(), Label: draft.Label.trim() || null, EventTypes: [...draft.EventTypes] }
    try {
      if (webhook) {
        const FieldsToUpdate = Object.fromEntries(
          Object.entries(input).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(webhook[name as keyof Webhook])),
        )
        const { WebhookID, Revision: IfRevision } = webhook
        if (Object.keys(FieldsToUpdate).length > 0) await write('Webhook saved.', () => crm.webhooks.update({ WebhookID, FieldsToUpdate, IfRevision }))
        onDone()
      } else onDone(await write('Webhook created.', () => crm.webhooks.create(input)))
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'Create webhook'}
      save={webhook ? 'Save' : 'Create'}
      wide
      busy={busy}
      unsaved={JSON.stringify(draft) !== JSON.stringify(first)}
      disabled={draft.URL.trim() === '' || draft.EventTypes.length === 0}
      error={hasOtherFaults(error, FIELDS) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      <Field label="URL" required hint="Events are posted to this http or https address." fault={faultOf(error, 'URL')}>
        {(control) => (
          <input
            {...control}
            type="text"
            inputMode="url"
            value={draft.URL}
            placeholder="https://example.com/hooks/crm"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set({ URL: event.target.value })}
          />
        )}
      </Field>
      <Field label="Label" fault={faultOf(error, 'Label')}>
        {(control) => <input {...control} value={draft.Label} maxLength={255} autoComplete="off" onChange={(event) => set({ Label: event.target.value })} />}
      </Field>
      <EventChoice chosen={draft.EventTypes} onChange={(EventTypes) => set({ EventTypes })} fault={faultOf(error, 'EventTypes')} />
      <Checkbox label="Active" hint="While inactive, events wait." checked={draft.Active} onChange={(Active) => set({ Active })} />
    </FormDialog>
  )
}
