import { useEffect, useState } from 'react'
import { useWrite } from '../data/write.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Difference } from '../parts/difference.tsx'
import { Question } from '../parts/question.tsx'
import { momentText, Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { calledOf, kindOf, operationName, pathOf, RECORD_PAGES } from './told.ts'
import type { Plan } from './waiting.ts'

export type PlanState = Plan['State'] | 'expired'

/** What waits past its time is never done. */
export const stateOf = ({ State, ExpiresDate }: Plan, now: number): PlanState => (State === 'waiting' && Date.parse(ExpiresDate) <= now ? 'expired' : State)

const TONES: { readonly [state in PlanState]: Tone } = { waiting: 'warn', done: 'good', refused: 'bad', expired: 'plain' }

/** The moment, anew every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

interface Images {
  readonly before: { readonly [field: string]: unknown }
  readonly after: { readonly [field: string]: unknown } | null
}

/** What a dry run found would differ, as two images of the record. */
function imagesIn({ Preview }: Plan): Images {
  const fields = Object.entries((Preview.Difference ?? {}) as { readonly [field: string]: { readonly From: unknown; readonly To: unknown } })
  const after = Object.fromEntries(fields.map(([field, { To }]) => [field, To]))
  const gone = Object.values(after).every((value) => value === null)
  return { before: Object.fromEntries(fields.map(([field, { From }]) => [field, From])), after: gone ? null : after }
}

interface Props {
  readonly plan: Plan
  readonly now: number
  readonly keyName: string | undefined
  readonly onDecided: () => void
}

/** A plan: what would be done, for whom, and what there is to decide. */
export function PlanCard({ plan, now, keyName, onDecided }: Props) {
  const { crm, may, me } = useSession()
  const write = useWrite()
  const [asking, setAsking] = useState<'allow' | 'refuse'>()
  const { before, after } = imagesIn(plan)
  const state = stateOf(plan, now)
  const name = `${kindOf(plan.RecordType, before)} ‘${calledOf(plan.RecordType, plan.RecordID, before)}’`
  const path = state === 'done' ? undefined : pathOf(plan.RecordType, plan.RecordID, before)
  const allow = async () => {
    // Only what happens to records can be undone.
    const undoable = plan.RecordType in RECORD_PAGES
    await write(`${operationName(plan.Operation)} was carried out.`, (options) => crm.plans.allow({ PlanID: plan.PlanID }, undoable ? options : {}), onDecided)
    onDecided()
  }
  const refuse = async () => {
    await write('The plan was refused.', () => crm.plans.refuse({ PlanID: plan.PlanID }))
    onDecided()
  }
  return (
    <article className="card plan" data-plan={plan.PlanID}>
      <header>
        <h3>
          {operationName(plan.Operation)}: ‘{calledOf(plan.RecordType, plan.RecordID, before)}’
        </h3>
        <Badge tone={TONES[state]}>{state}</Badge>
      </header>
      <p className="plan-by soft">
        Asked for by <Person id={plan.UserID} />
        {keyName && ` with the key ‘${keyName}’`} <Time at={plan.CreatedDate} />
        {plan.DecidedBy && (
          <>
            {' '}
            · {state === 'done' ? 'allowed' : 'refused'} by <Person id={plan.DecidedBy} />
          </>
        )}
        {state === 'waiting' && (
          <>
            {' · '}
            <span className="plan-left" title={momentText(plan.ExpiresDate)}>
              {leftText(Date.parse(plan.ExpiresDate) - now)} left to decide
            </span>
          </>
        )}
      </p>
      <details open={state === 'waiting'}>
        <summary>What would change</summary>
        {Object.keys(before).length > 0 ? <Difference before={before} after={after} /> : <p className="soft plan-nothing">Its preview is no longer kept.</p>}
      </details>
      <details>
        <summary>The call</summary>
        <Code
          label="The input of the call"
          text={JSON.stringify({ Operation: plan.Operation, Input: plan.Input, WouldWrite: plan.Preview.WouldWrite }, null, 2)}
        />
      </details>
      <footer className="plan-acts">
        {path && <Link to={path}>Open the record</Link>}
        {state === 'waiting' && may('refuse_plan') && (
          <Button icon="close" onClick={() => setAsking('refuse')}>
            Refuse
          </Button>
        )}
        {state === 'waiting' && may('allow_plan') && me.Confirm === null && (
          <Button kind="primary" icon="check" onClick={() => setAsking('allow')}>
            Allow
          </Button>
        )}
      </footer>
      {asking === 'allow' && (
        <Question title="Allow this?" yes="Allow" onClose={() => setAsking(undefined)} onYes={allow}>
          <p className="plan-question">
            {operationName(plan.Operation)} is carried out at once on {name}, with the rights of <Person id={plan.UserID} />.
          </p>
        </Question>
      )}
      {asking === 'refuse' && (
        <Question title="Refuse this?" yes="Refuse" onClose={() => setAsking(undefined)} onYes={refuse}>
          <p className="plan-question">Nothing happens to {name}, and the token that was given out for it does nothing any more.</p>
        </Question>
      )}
    </article>
  )
}

function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
