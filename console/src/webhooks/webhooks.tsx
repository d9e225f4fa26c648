import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { usePages } from '../data/pages.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Listing } from '../parts/listing.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { TableCard } from '../parts/table-card.tsx'
import { Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { type Delivery, eventsText, POLL_MS, type SecretWebhook, stateOf, type Webhook, webhookName } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'
import { SecretOnce, WebhookPage } from './webhook-page.tsx'
import '../administration/administration.css'
import './webhooks.css'

const PAGE = 100
const MAX_COUNTED = 1000

export function Webhooks({ path }: { readonly path: readonly string[] }) {
  return path[0] === undefined ? <AllWebhooks /> : <WebhookPage key={path[0]} id={path[0]} />
}

function AllWebhooks() {
  const { crm, may } = useSession()
  const pages = usePages((Cursor, signal) => crm.webhooks.getMany({ Limit: PAGE, Cursor }, { signal }), [crm])
  const { rows, loading, reload } = pages
  const mayList = may('get_many_deliveries')
  const undelivered = useAnswer(
    async (signal) => (mayList ? (await crm.webhooks.getManyDeliveries({ Limit: MAX_COUNTED, Select: ['WebhookID', 'State'] }, { signal })).Records : []),
    [crm, mayList],
  )
  useInterval(POLL_MS, () => {
    if (!undelivered.loading) undelivered.reload()
    if (rows.length <= PAGE && !loading) reload()
  })
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<SecretWebhook>()
  const mayCreate = may('create_webhook')

  return (
    <Page
      title="Webhooks"
      about="Events are posted to these addresses as they happen: signed, and retried until accepted."
      acts={
        mayCreate && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Create webhook
          </Button>
        )
      }
    >
      <Listing
        pages={pages}
        empty={
          <Empty icon="webhooks" title="No webhooks yet">
            Create one to notify another program of every new lead, won opportunity or closed case.
          </Empty>
        }
      >
        <TableCard
          label="Webhooks"
          rows={rows}
          keyOf={({ WebhookID }) => WebhookID}
          columns={[
            { title: 'Webhook', cell: (webhook) => <WebhookName webhook={webhook} undelivered={undelivered.answer ?? []} /> },
            { title: 'URL', labelled: true, cell: ({ URL }) => <code className="webhook-url">{URL}</code> },
            { title: 'Events', labelled: true, cell: ({ EventTypes }) => <code className="webhook-url">{eventsText(EventTypes)}</code> },
            { title: 'Created', labelled: true, cell: ({ CreatedDate }) => <Time at={CreatedDate} /> },
          ]}
        />
      </Listing>
      {creating && (
        <WebhookForm
          onClose={() => setCreating(false)}
          onDone={(webhook) => {
            setCreating(false)
            setCreated(webhook)
            reload()
          }}
        />
      )}
      {created && <SecretOnce secret={created.Secret} onClose={() => go(['webhooks', created.WebhookID])} />}
    </Page>
  )
}

function WebhookName({ webhook, undelivered }: { readonly webhook: Webhook; readonly undelivered: readonly Pick<Delivery, 'WebhookID' | 'State'>[] }) {
  const { word, tone, reason } = stateOf(webhook)
  const count = (state: Delivery['State']) => undelivered.filter(({ WebhookID, State }) => WebhookID === webhook.WebhookID && State === state).length
  const [dead, waiting] = [count('dead'), count('waiting')]
  return (
    <div className="admin-person">
      <span className="admin-person-line">
        <Link to={['webhooks', webhook.WebhookID]} className="webhook-name">
          {webhookName(webhook)}
        </Link>
        <Badge tone={tone}>{word}</Badge>
        {dead > 0 && <Badge tone="bad">{`${dead} given up`}</Badge>}
        {waiting > 0 && <Badge tone="warn">{`${waiting} waiting`}</Badge>}
      </span>
      {reason && <small>{reason}</small>}
    </div>
  )
}
