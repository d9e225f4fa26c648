import { useId, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Icon } from '../parts/icon.tsx'
import { Nothing, Refusal, RefusalLine, Skeleton } from '../parts/states.tsx'
import { momentText, numberText, Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { exchangeOf, isTest, type ListedAttempt } from './attempts.ts'

interface Props {
  readonly webhookId: string
  readonly attempt: ListedAttempt
  readonly open: boolean
  readonly onToggle: (open: boolean) => void
  readonly onSent: () => void
}

/** One attempt of the delivery log; what was sent and answered is loaded once it is open. */
export function AttemptLine({ webhookId, attempt, open, onToggle, onSent }: Props) {
  const { EventType, SentDate, Delivered, Status, Error: fault, Milliseconds } = attempt
  const id = useId()
  return (
    <li className="event attempt">
      <button type="button" className="event-toggle" aria-expanded={open} aria-controls={id} onClick={() => onToggle(!open)}>
        <Icon name={open ? 'down' : 'right'} size={16} />
        <span className="event-type">
          <Badge tone={Delivered ? 'good' : 'bad'}>{Status === null ? 'No answer' : String(Status)}</Badge>
        </span>
        <span className="event-what">
          <code>{EventType}</code> {fault && <span className="soft">{fault}</span>}
        </span>
        <span className="event-by soft">
          {numberText(Milliseconds)} ms · <Time at={SentDate} past />
        </span>
      </button>
      {open && (
        <div className="event-more" id={id}>
          <Exchange webhookId={webhookId} attempt={attempt} onSent={onSent} />
        </div>
      )}
    </li>
  )
}

function Exchange({ webhookId, attempt, onSent }: Pick<Props, 'webhookId' | 'attempt' | 'onSent'>) {
  const { crm, may } = useSession()
  const write = useWrite()
  const mayReadEvents = may('get_many_events')
  const { answer, error, reload } = useAnswer((signal) => exchangeOf(crm, attempt, mayReadEvents, signal), [crm, attempt.AttemptID, mayReadEvents])
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  if (!answer) return error ? <Refusal error={error} reload={reload} /> : <Skeleton height="12rem" />
  const { attempt: whole, event } = answer
  if (!whole) return <Nothing>This attempt is no longer kept.</Nothing>

  async function sendAgain() {
    setBusy(true)
    setRefusal(undefined)
    try {
      await write('Event queued for delivery.', () => crm.webhooks.replayDeliveries({ WebhookID: webhookId, AttemptIDs: [attempt.AttemptID] }))
      onSent()
    } catch (error) {
      setRefusal(error)
    }
    setBusy(false)
  }

  return (
    <>
      <div className="attempt-head">
        <span className="soft">{momentText(whole.SentDate)}</span>
        {may('replay_deliveries') && !isTest(attempt) && (
          <Button small icon="reload" busy={busy} onClick={() => void sendAgain()}>
            Send again
          </Button>
        )}
      </div>
      {refusal !== undefined && <RefusalLine error={refusal} />}
      <h3>Request</h3>
      <Code label="Request headers" text={headerLines(whole.RequestHeaders)} />
      {event ? (
        <Code label="Request body" text={JSON.stringify(event, null, 2)} />
      ) : (
        <Nothing>{isTest(attempt) ? 'What a test event says is not kept.' : 'The event is no longer kept.'}</Nothing>
      )}
      <h3>Answer</h3>
      {whole.AnswerHeaders === null ? (
        <p className="attempt-fault">{whole.Error ?? 'No answer.'}</p>
      ) : (
        <>
          <Code label="Answer headers" text={headerLines(whole.AnswerHeaders)} />
          {whole.AnswerBody ? <Code label="Answer body, the first 4 kB" text={whole.AnswerBody} /> : <Nothing>The answer has no body.</Nothing>}
        </>
      )}
    </>
  )
}

const headerLines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
