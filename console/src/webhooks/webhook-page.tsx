import { useState } from 'react'
import { ShownOnce } from '../administration/shown-once.tsx'
import { scopesText } from '../consent/scope-words.ts'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Refusal, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { Deliveries } from './deliveries.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { eventsText, POLL_MS, stateOf, type Webhook, webhookName } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'

/** One webhook with its state, undelivered events and delivery log. */
export function WebhookPage({ id }: { readonly id: string }) {
  const { crm } = useSession()
  const { answer, loading, error, reload } = useAnswer((signal) => crm.webhooks.getMany({ Filters: { WebhookID: id } }, { signal }), [crm, id])
  useInterval(POLL_MS, () => loading || reload())
  const webhook = answer?.Records[0]
  const back = <Link to={['webhooks']}>All webhooks</Link>
  if (webhook) return <WebhookView webhook={webhook} reload={reload} />
  return (
    <Page title="Webhook" about={back}>
      {error ? (
        <Refusal error={error} reload={reload} />
      ) : answer ? (
        <Empty icon="webhooks" title="Webhook not found" act={back}>
          It may have been deleted.
        </Empty>
      ) : (
        <Skeleton height="16rem" />
      )}
    </Page>
  )
}

type DialogName = 'edit' | 'rotate' | 'delete'

function WebhookView({ webhook, reload }: { readonly webhook: Webhook; readonly reload: () => void }) {
  const { crm, may } = useSession()
  const write = useWrite()
  const [dialog, setDialog] = useState<DialogName>()
  const [secret, setSecret] = useState<{ readonly value: string | null }>()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const [tests, setTests] = useState(0)
  const { WebhookID, Active } = webhook
  const done = () => setDialog(undefined)

  async function setActive(active: boolean) {
    setBusy(true)
    setRefusal(undefined)
    try {
      await write(active ? 'Webhook resumed.' : 'Webhook paused.', () => crm.webhooks.update({ WebhookID, FieldsToUpdate: { Active: active } }))
      reload()
    } catch (error) {
      setRefusal(error)
    }
    setBusy(false)
  }

  async function rotate() {
    const { Secret } = await write('Secret rotated.', () => crm.webhooks.rotateSecret({ WebhookID }))
    setSecret({ value: Secret })
    reload()
  }

  async function remove() {
    await write('Webhook deleted.', () => crm.webhooks.delete({ WebhookID }))
    go(['webhooks'])
  }

  return (
    <Page
      title={webhookName(webhook)}
      about={<Link to={['webhooks']}>All webhooks</Link>}
      acts={
        <>
          {may('update_webhook') && (
            <>
              <Button icon={Active ? 'pause' : 'play'} busy={busy} onClick={() => void setActive(!Active)}>
                {Active ? 'Pause' : 'Resume'}
              </Button>
              <Button icon="edit" onClick={() => setDialog('edit')}>
                Edit
              </Button>
            </>
          )}
          {may('rotate_webhook_secret') && (
            <Button icon="keys" onClick={() => setDialog('rotate')}>
              Rotate secret
            </Button>
          )}
          {may('delete_webhook') && (
            <Button kind="danger" icon="delete" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          )}
        </>
      }
    >
      {refusal !== undefined && <RefusalLine error={refusal} />}
      <Card>
        <Facts webhook={webhook} />
        {may('test_webhook') && (
          <Test
            id={WebhookID}
            onSent={() => {
              setTests(tests + 1)
              reload()
            }}
          />
        )}
      </Card>
      {may('get_many_deliveries') && <Deliveries webhook={webhook} onSent={reload} />}
      {may('get_many_attempts') && <DeliveryLog webhook={webhook} tests={tests} onSent={reload} />}
      {dialog === 'edit' && (
        <WebhookForm
          webhook={webhook}
          onClose={done}
          onDone={() => {
            done()
            reload()
          }}
        />
      )}
      {dialog === 'rotate' && (
        <ConfirmDialog title="Rotate the secret?" confirmLabel="Rotate secret" onClose={done} onConfirm={rotate}>
          <p>For 24 hours, deliveries are signed with both secrets, so that you can update the receiver.</p>
        </ConfirmDialog>
      )}
      {dialog === 'delete' && (
        <ConfirmDialog title="Delete this webhook?" confirmLabel="Delete" danger onClose={done} onConfirm={remove}>
          <p>Events are no longer sent to {webhook.URL}, and undelivered ones are dropped. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      {secret && <SecretOnce secret={secret.value} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

export function SecretOnce({ secret, onClose }: { readonly secret: string | null; readonly onClose: () => void }) {
  return (
    <ShownOnce title="Webhook secret" label="Secret" secret={secret} about="The receiver verifies signatures with it (Standard Webhooks)." onClose={onClose} />
  )
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const { word, tone, reason } = stateOf(webhook)
  const facts = [
    [
      'State',
      <span key="state">
        <Badge tone={tone}>{word}</Badge> {reason}
      </span>,
    ],
    ['URL', <code key="url">{webhook.URL}</code>],
    ['Events', <code key="events">{eventsText(webhook.EventTypes)}</code>],
    [
      'Scopes',
      <span key="scopes" title={webhook.Scopes.join(', ')}>
        {scopesText(webhook.Scopes)}
      </span>,
    ],
    ['Owner', <Person key="owner" id={webhook.OwnerID} />],
    ['Created', <Time key="made" at={webhook.CreatedDate} />],
  ] as const
  return (
    <dl className="webhook-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Test({ id, onSent }: { readonly id: string; readonly onSent: () => void }) {
  const { crm } = useSession()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ readonly good: boolean; readonly text: string } | { readonly error: unknown }>()
  async function test() {
    setBusy(true)
    try {
      const { Delivered, Status, Error: fault, Milliseconds } = await crm.webhooks.test({ WebhookID: id })
      const answered = Status === null ? (fault ?? 'No answer.') : `Answered ${Status}${fault ? `: ${fault}` : ''}.`
      setOutcome({ good: Delivered, text: `${answered} ${Milliseconds} ms` })
      onSent()
    } catch (error) {
      setOutcome({ error })
    }
    setBusy(false)
  }
  return (
    <div className="webhook-test">
      <Button icon="play" small busy={busy} onClick={() => void test()}>
        Send test event
      </Button>
      <div role="status">
        {outcome &&
          ('error' in outcome ? (
            <RefusalLine error={outcome.error} />
          ) : (
            <span className={outcome.good ? 'webhook-good' : 'webhook-bad'}>
              <Icon name={outcome.good ? 'check' : 'warning'} size={16} /> {outcome.text}
            </span>
          ))}
      </div>
    </div>
  )
}
