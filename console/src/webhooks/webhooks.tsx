import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { usePages } from '../data/pages.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { type Delivery, POLL_MS, type SecretWebhook, stateOf, type Webhook, webhookName } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'
import { SecretOnce, WebhookPage } from './webhook-page.tsx'
import './webhooks.css'

const PAGE = 100
const MAX_COUNTED = 1000

export function Webhooks({ path }: { readonly path: readonly string[] }) {
  return path[0] === undefined ? <AllWebhooks /> : <WebhookPage key={path[0]} id={path[0]} />
}

function AllWebhooks() {
  const { crm, may } = useSession()
  const { rows, loading, error, more, next, reload } = usePages((Cursor, signal) => crm.webhooks.getMany({ Limit: PAGE, Cursor }, { signal }), [crm])
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
  const createButton = may('create_webhook') && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create webhook
    </Button>
  )

  return (
    <Page title="Webhooks" about="Events are posted to these addresses as they happen: signed, and retried until accepted." acts={createButton}>
      {error && rows.length === 0 ? (
        <Refusal error={error} reload={reload} />
      ) : rows.length === 0 ? (
        loading ? (
          <Skeleton height="16rem" />
        ) : (
          <Empty icon="webhooks" title="No webhooks yet" act={createButton}>
            Create one to notify another program of every new lead, won opportunity or closed case.
          </Empty>
        )
      ) : (
        <>
          <ul className="webhooks">
            {rows.map((webhook) => (
              <WebhookLine key={webhook.WebhookID} webhook={webhook} undelivered={undelivered.answer ?? []} />
            ))}
          </ul>
          {more && (
            <Button busy={loading} onClick={next}>
              Show more
            </Button>
          )}
        </>
      )}
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

function WebhookLine({ webhook, undelivered }: { readonly webhook: Webhook; readonly undelivered: readonly Pick<Delivery, 'WebhookID' | 'State'>[] }) {
  const { word, tone, reason } = stateOf(webhook)
  const count = (state: Delivery['State']) => undelivered.filter(({ WebhookID, State }) => WebhookID === webhook.WebhookID && State === state).length
  const [dead, waiting] = [count('dead'), count('waiting')]
  return (
    <li className="card webhook-line">
      <div className="webhook-line-head">
        <Link to={['webhooks', webhook.WebhookID]}>{webhookName(webhook)}</Link>
        <Badge tone={tone}>{word}</Badge>
        {dead > 0 && <Badge tone="bad">{dead === 1 ? '1 dead letter' : `${dead} dead letters`}</Badge>}
        {waiting > 0 && <Badge tone="warn">{`${waiting} waiting`}</Badge>}
      </div>
      <code className="webhook-url">{webhook.URL}</code>
      <span className="webhook-events soft">{webhook.EventTypes.join(', ')}</span>
      {reason && <span className="soft">{reason}</span>}
    </li>
  )
}
