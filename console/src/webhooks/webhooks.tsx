import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useEvery } from '../data/every.ts'
import { usePages } from '../data/pages.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { ASKED_EVERY_MS, calledOf, type Delivery, type SecretWebhook, stateOf, type Webhook } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'
import { SecretOnce, WebhookPage } from './webhook-page.tsx'
import './webhooks.css'

const PAGE = 100
/** Of more than these nobody needs the number. */
const COUNTED = 1000

/** Where events are sent to as they happen. */
export function Webhooks({ path }: { readonly path: readonly string[] }) {
  return path[0] === undefined ? <AllWebhooks /> : <WebhookPage key={path[0]} id={path[0]} />
}

function AllWebhooks() {
  const { crm, may } = useSession()
  const { rows, asking, error, more, next, again } = usePages((Cursor, signal) => crm.webhooks.getMany({ Limit: PAGE, Cursor }, { signal }), [crm])
  const listed = may('get_many_deliveries')
  const left = useAnswer(
    async (signal) => (listed ? (await crm.webhooks.getManyDeliveries({ Limit: COUNTED, Select: ['WebhookID', 'State'] }, { signal })).Records : []),
    [crm, listed],
  )
  useEvery(ASKED_EVERY_MS, () => {
    if (!left.asking) left.again()
    if (rows.length <= PAGE && !asking) again()
  })
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<SecretWebhook>()
  const make = may('create_webhook') && (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )

  return (
    <Page title="Webhooks" about="Events are posted to these addresses as they happen, signed, and again until they are taken." acts={make}>
      {error && rows.length === 0 ? (
        <Refusal error={error} again={again} />
      ) : rows.length === 0 ? (
        asking ? (
          <Skeleton height="16rem" />
        ) : (
          <Empty icon="webhooks" title="There is no webhook yet" act={make}>
            Make one to have another program told of every new lead, won opportunity or closed case.
          </Empty>
        )
      ) : (
        <>
          <ul className="webhooks">
            {rows.map((webhook) => (
              <WebhookLine key={webhook.WebhookID} webhook={webhook} left={left.answer ?? []} />
            ))}
          </ul>
          {more && (
            <Button busy={asking} onClick={next}>
              More
            </Button>
          )}
        </>
      )}
      {making && (
        <WebhookForm
          onClose={() => setMaking(false)}
          onDone={(webhook) => {
            setMaking(false)
            setMade(webhook)
            again()
          }}
        />
      )}
      {made && <SecretOnce secret={made.Secret} onClose={() => go(['webhooks', made.WebhookID])} />}
    </Page>
  )
}

function WebhookLine({ webhook, left }: { readonly webhook: Webhook; readonly left: readonly Pick<Delivery, 'WebhookID' | 'State'>[] }) {
  const { word, tone, because } = stateOf(webhook)
  const count = (state: Delivery['State']) => left.filter(({ WebhookID, State }) => WebhookID === webhook.WebhookID && State === state).length
  const [dead, waiting] = [count('dead'), count('waiting')]
  return (
    <li className="card webhook-line">
      <div className="webhook-line-head">
        <Link to={['webhooks', webhook.WebhookID]}>{calledOf(webhook)}</Link>
        <Badge tone={tone}>{word}</Badge>
        {dead > 0 && <Badge tone="bad">{dead === 1 ? '1 dead letter' : `${dead} dead letters`}</Badge>}
        {waiting > 0 && <Badge tone="warn">{`${waiting} waiting`}</Badge>}
      </div>
      <code className="webhook-url">{webhook.URL}</code>
      <span className="webhook-events soft">{webhook.EventTypes.join(', ')}</span>
      {because && <span className="soft">{because}</span>}
    </li>
  )
}
