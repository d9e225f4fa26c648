import type { Operation } from 'crm-connector/contract'
import { useState } from 'react'
import { useUndo } from '../data/undo.ts'
import { messageOf } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import type { ObjectShape } from './form/shape.ts'
import type { Outcome } from './run.ts'

interface Props {
  readonly operation: Operation
  readonly shape: ObjectShape
  readonly outcome: Outcome
  /** Runs the operation again with the confirmation token. */
  readonly onConfirm: (token: string) => void
}

/** The answer or the error. */
export function AnswerCard({ operation, shape, outcome, onConfirm }: Props) {
  switch (outcome.state) {
    case 'none':
    case 'running':
      return (
        <Card title="Answer">
          <p className="operation-waiting">{outcome.state === 'running' ? 'Waiting for the answer …' : 'Run the operation to see its answer.'}</p>
        </Card>
      )
    case 'answered':
      return (
        <Card
          title={outcome.dryRun ? 'What would happen' : 'Answer'}
          acts={
            <>
              {outcome.replayed && <Badge tone="warn">Replayed: same idempotency key</Badge>}
              <Badge tone="good">OK</Badge>
              <span className="soft">{timeText(outcome.ms)}</span>
            </>
          }
        >
          {operation.shownOnce && !outcome.dryRun && !outcome.replayed && (
            <p className="operation-once">{operation.shownOnce} is shown only once. Copy it now.</p>
          )}
          <Code text={JSON.stringify(outcome.answer, null, 2)} label="The answer" />
          {outcome.changeId !== undefined && <Changed key={outcome.changeId} changeId={outcome.changeId} />}
        </Card>
      )
    case 'refused': {
      const { error, ms } = outcome
      const { Token } = error.plan ?? {}
      const shown = shape.members.map(({ name }) => name)
      const elsewhere = (error.errors ?? []).filter(({ field }) => !shown.includes(field.split('.', 1)[0] ?? ''))
      return (
        <Card
          title="Refused"
          acts={
            <>
              <Badge tone="bad">{error.code}</Badge>
              <span className="soft">{timeText(ms)}</span>
            </>
          }
        >
          <RefusalLine error={error} />
          {elsewhere.length > 0 && (
            <ul className="operation-faults">
              {elsewhere.map(({ field, message, expected, didYouMean }) => (
                <li key={field + message}>
                  {message} {expected && `Expected: ${expected}.`} {didYouMean && `Did you mean ${didYouMean}?`}
                </li>
              ))}
            </ul>
          )}
          {error.plan && (
            <div className="operation-plan">
              <p>{operation.confirmed ? `${operation.name} must always be confirmed.` : 'Deletes with this key must be confirmed.'} This would be deleted:</p>
              <Code text={JSON.stringify(error.plan.Preview, null, 2)} label="What would happen" />
              {Token === undefined ? (
                <p>
                  With this key they cannot be confirmed: another has to allow it. <Link to={['plans']}>Open Approvals</Link>
                </p>
              ) : (
                <Button kind="danger" onClick={() => onConfirm(Token)}>
                  Confirm
                </Button>
              )}
            </div>
          )}
          {error.requestId && <p className="soft operation-about">Request {error.requestId}</p>}
        </Card>
      )
    }
  }
}

const timeText = (ms: number) => (ms < 1000 ? `${numberText(Math.round(ms))} ms` : `${numberText(Math.round(ms / 100) / 10)} s`)

/** The change of a write, with Undo. */
function Changed({ changeId }: { readonly changeId: string }) {
  const { may } = useSession()
  const callUndo = useUndo()
  const [state, setState] = useState<'open' | 'undoing' | 'undone'>('open')
  const [fault, setFault] = useState<unknown>()
  const undo = async () => {
    setState('undoing')
    setFault(undefined)
    try {
      await callUndo({ ChangeID: changeId })
      setState('undone')
    } catch (error) {
      setFault(error)
      setState('open')
    }
  }
  return (
    <>
      <div className="operation-changed">
        <span>Change {may('get_many_changes') ? <Link to={['changes', changeId]}>{changeId}</Link> : <code>{changeId}</code>}</span>
        {may('undo_change') && (
          <Button small icon={state === 'undone' ? 'check' : 'undo'} busy={state === 'undoing'} disabled={state === 'undone'} onClick={undo}>
            {state === 'undone' ? 'Undone' : 'Undo'}
          </Button>
        )}
      </div>
      {fault !== undefined && <RefusalLine error={new Error(`Not undone: ${messageOf(fault)}`)} />}
    </>
  )
}
