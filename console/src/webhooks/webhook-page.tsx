import { useState } from 'react'
import { ShownOnce } from '../administration/shown-once.tsx'
import { useAnswer } from '../data/answer.ts'
import { useEvery } from '../data/every.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Question } from '../parts/question.tsx'
import { Empty, Refusal, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { Deliveries } from './deliveries.tsx'
import { ASKED_EVERY_MS, calledOf, stateOf, type Webhook } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'

/** One webhook: how it fares, and what could not be delivered. */
export function WebhookPage({ id }: { readonly id: string }) {
  const { crm } = useSession()
  const { answer, asking, error, again } = useAnswer((signal) => crm.webhooks.getMany({ Filters: { WebhookID: id } }, { signal }), [crm, id])
  useEvery(ASKED_EVERY_MS, () => asking || again())
  const webhook = answer?.Records[0]
  const back = <Link to={['webhooks']}>All webhooks</Link>
  if (webhook) return <Shown webhook={webhook} again={again} />
  return (
    <Page title="Webhook" about={back}>
      {error ? (
        <Refusal error={error} again={again} />
      ) : answer ? (
        <Empty icon="webhooks" title="There is no such webhook" act={back}>
          It may have been deleted.
        </Empty>
      ) : (
        <Skeleton height="16rem" />
      )}
    </Page>
  )
}

type Asked = 'edit' | 'rotate' | 'delete'

function Shown({ webhook, again }: { readonly webhook: Webhook; readonly again: () => void }) {
  const { crm, may } = useSession()
  const write = useWrite()
  const [asked, setAsked] = useState<Asked>()
  const [secret, setSecret] = useState<{ readonly is: string | null }>()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const { WebhookID, Active } = webhook
  const done = () => setAsked(undefined)

  async function setActive(active: boolean) {
    setBusy(true)
    setRefusal(undefined)
    try {
      await write(active ? 'The webhook was resumed.' : 'The webhook was paused.', () => crm.webhooks.update({ WebhookID, FieldsToUpdate: { Active: active } }))
      again()
    } catch (error) {
      setRefusal(error)
    }
    setBusy(false)
  }

  async function rotate() {
    const { Secret } = await write('The webhook has a new secret.', () => crm.webhooks.rotateSecret({ WebhookID }))
    setSecret({ is: Secret })
    again()
  }

  async function remove() {
    await write('The webhook was deleted.', () => crm.webhooks.delete({ WebhookID }))
    go(['webhooks'])
  }

  return (
    <Page
      title={calledOf(webhook)}
      about={<Link to={['webhooks']}>All webhooks</Link>}
      acts={
        <>
          {may('update_webhook') && (
            <>
              <Button icon={Active ? 'pause' : 'play'} busy={busy} onClick={() => void setActive(!Active)}>
                {Active ? 'Pause' : 'Resume'}
              </Button>
              <Button icon="edit" onClick={() => setAsked('edit')}>
                Edit
              </Button>
            </>
          )}
          {may('rotate_webhook_secret') && (
            <Button icon="keys" onClick={() => setAsked('rotate')}>
              New secret
            </Button>
          )}
          {may('delete_webhook') && (
            <Button kind="danger" icon="delete" onClick={() => setAsked('delete')}>
              Delete
            </Button>
          )}
        </>
      }
    >
      {refusal !== undefined && <RefusalLine error={refusal} />}
      <Card>
        <Facts webhook={webhook} />
        {may('test_webhook') && <Test id={WebhookID} onSent={again} />}
      </Card>
      {may('get_many_deliveries') && <Deliveries webhook={webhook} onSent={again} />}
      {asked === 'edit' && (
        <WebhookForm
          webhook={webhook}
          onClose={done}
          onDone={() => {
            done()
            again()
          }}
        />
      )}
      {asked === 'rotate' && (
        <Question title="Give it a new secret?" yes="New secret" onClose={done} onYes={rotate}>
          <p className="webhook-none">For 24 hours deliveries are signed with the old one too, so that its receiver has time to change.</p>
        </Question>
      )}
      {asked === 'delete' && (
        <Question title="Delete this webhook?" yes="Delete" danger onClose={done} onYes={remove}>
          <p className="webhook-none">Nothing is sent to {webhook.URL} any more, and what was not delivered yet never is. This cannot be undone.</p>
        </Question>
      )}
      {secret && <SecretOnce secret={secret.is} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

export function SecretOnce({ secret, onClose }: { readonly secret: string | null; readonly onClose: () => void }) {
  return (
    <ShownOnce
      title="The secret of the webhook"
      label="Secret"
      secret={secret}
      about="Its receiver verifies with it, by the Standard Webhooks scheme, that an event comes from here."
      onClose={onClose}
    />
  )
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const { word, tone, because } = stateOf(webhook)
  const facts = [
    [
      'State',
      <span key="state">
        <Badge tone={tone}>{word}</Badge> {because}
      </span>,
    ],
    ['URL', <code key="url">{webhook.URL}</code>],
    ['Events', <code key="events">{webhook.EventTypes.join(', ')}</code>],
    ['Scopes', <code key="scopes">{webhook.Scopes.join(', ')}</code>],
    ['Owner', <Person key="owner" id={webhook.OwnerID} />],
    ['Made', <Time key="made" at={webhook.CreatedDate} />],
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

/** Sends an event of no meaning, to see whether it arrives. */
function Test({ id, onSent }: { readonly id: string; readonly onSent: () => void }) {
  const { crm } = useSession()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ readonly good: boolean; readonly text: string } | { readonly error: unknown }>()
  async function test() {
    setBusy(true)
    try {
      const { Delivered, Status, Error: fault, Milliseconds } = await crm.webhooks.test({ WebhookID: id })
      const answered = Status === null ? (fault ?? 'There was no answer.') : `It answered ${Status}${fault ? `: ${fault}` : ''}.`
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
        Send a test
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
