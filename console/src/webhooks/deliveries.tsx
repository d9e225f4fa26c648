import { useEffect, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { usePages } from '../data/pages.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, Refusal, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { type Delivery, isHealthy, POLL_MS, type Webhook } from './webhook.ts'

const PAGE = 100

const TABS = [
  { id: 'dead', label: 'Given up' },
  { id: 'waiting', label: 'Waiting' },
] as const
type State = (typeof TABS)[number]['id']

const NONE: { readonly [state in State]: string } = {
  dead: 'No deliveries were given up.',
  waiting: 'No deliveries wait for a retry.',
}

/** The deliveries of a webhook that wait for a retry, and those that were given up. Unless a tab is chosen, one that has entries is open. */
export function Deliveries({ webhook, onSent }: { readonly webhook: Webhook; readonly onSent: () => void }) {
  const { WebhookID: webhookId } = webhook
  const { crm, may } = useSession()
  const write = useWrite()
  const [chosen, setChosen] = useState<State>()
  const [busy, setBusy] = useState<string>()
  const [refusal, setRefusal] = useState<unknown>()
  const undelivered = useAnswer(
    async (signal) => {
      const has = async (State: State) =>
        (await crm.webhooks.getManyDeliveries({ Filters: { WebhookID: webhookId, State }, Limit: 1, Select: ['State'] }, { signal })).Records.length > 0
      const [dead, waiting] = await Promise.all([has('dead'), has('waiting')])
      return { dead, waiting }
    },
    [crm, webhookId],
  )
  const has = undelivered.answer
  const state = chosen ?? (has?.waiting && !has.dead ? 'waiting' : 'dead')
  const { rows, loading, error, more, next, reload } = usePages(
    (Cursor, signal) => crm.webhooks.getManyDeliveries({ Filters: { WebhookID: webhookId, State: state }, Limit: PAGE, Cursor }, { signal }),
    [crm, webhookId, state],
  )
  const shown = rows.filter(({ State }) => State === state)
  const [loaded, setLoaded] = useState(false)
  const counted = has !== undefined || undelivered.error !== undefined
  useEffect(() => {
    if (!loading && counted) setLoaded(true)
  }, [loading, counted])

  // Polls only the first page, and not while an answer is pending.
  useInterval(POLL_MS, () => {
    if (rows.length <= PAGE && !loading) reload()
    if (!undelivered.loading) undelivered.reload()
  })

  async function replay(delivery?: Delivery) {
    setBusy(delivery?.DeliveryID ?? 'all')
    setRefusal(undefined)
    // The tab stays while its entries go.
    setChosen(state)
    try {
      const input = { WebhookID: webhookId, ...(delivery && { DeliveryIDs: [delivery.DeliveryID] }) }
      await write(delivery ? 'Queued for delivery.' : 'All queued for delivery.', () => crm.webhooks.replayDeliveries(input))
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
          <Tabs label="Deliveries" tabs={TABS} shown={state} onShow={setChosen} />
        </>
      }
    >
      {refusal !== undefined && <RefusalLine error={refusal} />}
      {error && shown.length === 0 ? (
        <Refusal error={error} reload={reload} />
      ) : shown.length === 0 ? (
        !loaded || rows.length > 0 || (loading && has?.[state]) ? (
          <Skeleton height="3rem" />
        ) : (
          <Nothing>
            {has && !has.dead && !has.waiting && isHealthy(webhook) && 'All events so far were delivered. '}
            {NONE[state]}
          </Nothing>
        )
      ) : (
        <Table
          folds
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
            { title: 'Attempts', number: true, labelled: true, cell: ({ Attempts }) => Attempts },
            {
              title: 'Last answer',
              cell: ({ LastStatus, LastError }) => (
                <span className="webhook-answer">
                  {LastStatus !== null && <Badge tone="bad">{String(LastStatus)}</Badge>} {LastError}
                </span>
              ),
            },
            { title: 'Last attempt', labelled: true, cell: ({ LastAttempt }) => (LastAttempt ? <Time at={LastAttempt} /> : '—') },
            ...(state === 'waiting'
              ? [{ title: 'Next attempt', labelled: true, cell: ({ NextAttempt }: Delivery) => (NextAttempt ? <Time at={NextAttempt} /> : '—') }]
              : []),
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
