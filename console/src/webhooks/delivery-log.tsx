import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { Card } from '../parts/page.tsx'
import { Nothing, Refusal, Skeleton } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useSession } from '../session/session.ts'
import { AttemptLine } from './attempt-line.tsx'
import { isTest, type ListedAttempt, listedAttempts } from './attempts.ts'
import { POLL_MS, type Webhook } from './webhook.ts'
import '../journal/events.css'

const TABS = [
  { id: 'all', label: 'All' },
  { id: 'failed', label: 'Failed' },
] as const

interface Props {
  readonly webhook: Webhook
  /** How many test events were sent from the page. */
  readonly tests: number
  readonly onSent: () => void
}

/** Each attempt to deliver an event, newest first, with what was sent and answered. The newest that failed is open where its event was not delivered since. */
export function DeliveryLog({ webhook: { WebhookID }, tests, onSent }: Props) {
  const { crm } = useSession()
  const { answer, error, loading, reload } = useAnswer((signal) => listedAttempts(crm, WebhookID, signal), [crm, WebhookID, tests])
  useInterval(POLL_MS, () => loading || reload())
  const [tab, setTab] = useState<(typeof TABS)[number]['id']>('all')
  /** What was opened or closed by hand. */
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const attempts = answer ?? []
  const delivered = new Set(attempts.flatMap(({ Delivered, EventID }) => (Delivered ? [EventID] : [])))
  const lastDelivered = attempts.findIndex(({ Delivered }) => Delivered)
  // A test is not sent again: whatever was delivered since shows that all is well.
  const isSettled = (attempt: ListedAttempt, nth: number) => (isTest(attempt) ? lastDelivered >= 0 && lastDelivered < nth : delivered.has(attempt.EventID))
  const trouble = attempts.find((attempt, nth) => !attempt.Delivered && !isSettled(attempt, nth))
  const [first, setFirst] = useState<string>()
  if (trouble && first === undefined) setFirst(trouble.AttemptID)
  const shown = attempts.filter(({ Delivered }) => tab === 'all' || !Delivered)
  const isOpen = (id: string) => toggled.get(id) ?? id === first

  return (
    <Card title="Delivery log" acts={<Tabs label="Attempts" tabs={TABS} shown={tab} onShow={setTab} />}>
      {error && !answer ? (
        <Refusal error={error} reload={reload} />
      ) : !answer ? (
        <Skeleton height="6rem" />
      ) : shown.length === 0 ? (
        <Nothing>{tab === 'all' ? 'No event has been sent yet.' : 'No attempt has failed.'}</Nothing>
      ) : (
        <ol className="events">
          {shown.map((attempt) => (
            <AttemptLine
              key={attempt.AttemptID}
              webhookId={WebhookID}
              attempt={attempt}
              open={isOpen(attempt.AttemptID)}
              onToggle={(open) => setToggled(new Map(toggled).set(attempt.AttemptID, open))}
              onSent={() => {
                reload()
                onSent()
              }}
            />
          ))}
        </ol>
      )}
    </Card>
  )
}
