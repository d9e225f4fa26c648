import { useEffect, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { usePages } from '../data/pages.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Refusal, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { type Delivery, isHealthy, POLL_MS, type Webhook } from './webhook.ts'

const PAGE = 100

const TABS = [
  { id: 'dead', label: 'Dead letters' },
  { id: 'waiting', label: 'Waiting' },
] as const
type State = (typeof TABS)[number]['id']

const NONE: { readonly [state in State]: string } = {
  dead: 'No dead letters.',
  waiting: 'No deliveries wait for a retry.',
}

/** The deliveries of a webhook that wait for a retry, and those that were given up. */
export function Deliveries({ webhook, onSent }: { readonly webhook: Webhook; readonly onSent: () => void }) {
  const { WebhookID: webhookId } = webhook
  const { crm, may } = useSession()
  const write = useWrite()
  const [state, setState] = useState<State>('dead')
  const [busy, setBusy] = useState<string>()
  const [refusal, setRefusal] = useState<unknown>()
  const { rows, loading, error, more, next, reload } = usePages(
    (Cursor, signal) => crm.webhooks.getManyDeliveries({ Filters: { WebhookID: webhookId, State: state }, Limit: PAGE, Cursor }, { signal }),
    [crm, webhookId, state],
  )
  const undelivered = useAnswer(
    async (signal) => (await crm.webhooks.getManyDeliveries({ Filters: { WebhookID: webhookId }, Limit: 1, Select: ['State'] }, { signal })).Records.length,
    [crm, webhookId],
  )
  const shown = rows.filter(({ State }) => State === state)
  const [loaded, setLoaded] = useState(false)
  useEffect(() => {
    if (!loading) setLoaded(true)
  }, [loading])

  // Polls only the first page, and not while an answer is pending.
  useInterval(POLL_MS, () => {
    if (rows.length <= PAGE && !loading) reload()
    if (!undelivered.loading) undelivered.reload()
  })

  async function replay(delivery?: Delivery) {
    setBusy(delivery?.DeliveryID ?? 'all')
    setRefusal(undefined)
    try {
      const input = { WebhookID: webhookId, ...(delivery && { DeliveryIDs: [delivery.DeliveryID] }) }
      await write(delivery ? 'Dead letter queued for delivery.' : 'All dead letters queued for delivery.', () => crm.webhooks.replayDeliveries(input))
      reload()
      onSent()
    } catch (error) {
      setRefusal(error)
    }
    setBusy(undefined)
  }

  const replays = may('replay_deliveries') && state === 'dead'
  return (
    <Card
      title="Undelivered events"
      acts={
        <>
          {replays && shown.length > 0 && (
            <Button small icon="reload" busy={busy === 'all'} onClick={() => void replay()}>
              Resend all
            </Button>
          )}
          <Tabs label="Deliveries" tabs={TABS} shown={state} onShow={setState} />
        </>
      }
    >
      {refusal !== undefined && <RefusalLine error={refusal} />}
      {error && shown.length === 0 ? (
        <Refusal error={error} reload={reload} />
      ) : shown.length === 0 ? (
        !loaded || rows.length > 0 ? (
          <Skeleton height="3rem" />
        ) : (
          <p className="soft webhook-none">
            {undelivered.answer === 0 && isHealthy(webhook) && 'All events so far were delivered. '}
            {NONE[state]}
          </p>
        )
      ) : (
        <Table
          label="Deliveries"
          rows={shown}
          keyOf={({ DeliveryID }) => DeliveryID}
          columns={[
            {
              title: 'Event',
              cell: ({ EventType, EventID }) => (
                <span className="webhook-event">
                  <code>{EventType}</code>
                  <small className="soft">{EventID}</small>
                </span>
              ),
            },
            { title: 'Attempts', number: true, cell: ({ Attempts }) => Attempts },
            {
              title: 'Last answer',
              cell: ({ LastStatus, LastError }) => (
                <span className="webhook-answer">
                  {LastStatus !== null && <Badge tone="bad">{String(LastStatus)}</Badge>} {LastError}
                </span>
              ),
            },
            { title: 'Last attempt', cell: ({ LastAttempt }) => (LastAttempt ? <Time at={LastAttempt} /> : '—') },
            ...(state === 'waiting' ? [{ title: 'Next attempt', cell: ({ NextAttempt }: Delivery) => (NextAttempt ? <Time at={NextAttempt} /> : '—') }] : []),
            ...(replays
              ? [
                  {
                    title: 'Actions',
                    untitled: true,
                    cell: (delivery: Delivery) => (
                      <Button small icon="reload" busy={busy === delivery.DeliveryID} onClick={() => void replay(delivery)}>
                        Resend
                      </Button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {more && (
        <Button busy={loading} onClick={next}>
          Show more
        </Button>
      )}
    </Card>
  )
}
