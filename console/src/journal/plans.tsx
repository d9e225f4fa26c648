import { useAnswer } from '../data/answer.ts'
import { Code } from '../parts/code.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { PlanCard, stateOf, useNow } from './plan-card.tsx'
import { useSince } from './since.ts'
import { usePlanNews } from './waiting.ts'
import './plans.css'

const ASKED_EVERY_MS = 10_000
const MOST = 100

/** The deletes of agents that wait until somebody has looked at them. */
export function Plans() {
  const { crm, may } = useSession()
  const { answer, error, again } = useAnswer((signal) => crm.plans.getMany({ Limit: MOST }, { signal }), [crm])
  const named = may('get_many_keys')
  const keys = useAnswer(async (signal) => (named ? (await crm.keys.getMany({ Limit: 1000, Select: ['Label'] }, { signal })).Records : []), [crm, named])
  usePlanNews(again, ASKED_EVERY_MS)
  const now = useNow()
  const plans = answer?.Records ?? []
  const [waiting, decided] = [plans.filter((plan) => stateOf(plan, now) === 'waiting'), plans.filter((plan) => stateOf(plan, now) !== 'waiting')]
  const since = useSince(waiting)
  const card = (plan: (typeof plans)[number]) => (
    <PlanCard
      key={plan.PlanID}
      plan={plan}
      now={now}
      keyName={keys.answer?.find(({ KeyID }) => KeyID === plan.KeyID)?.Label ?? undefined}
      since={since.get(plan.PlanID)}
      onDecided={again}
    />
  )

  return (
    <Page title="Confirmations" about="What agents want to take away waits here until somebody allows or refuses it.">
      {error && !answer ? (
        <Refusal error={error} again={again} />
      ) : !answer ? (
        <Skeleton height="16rem" />
      ) : (
        <>
          {waiting.length > 0 ? (
            <section className="plans" aria-label="Waiting">
              <h2>Waiting</h2>
              {waiting.map(card)}
            </section>
          ) : (
            <NothingWaits />
          )}
          {decided.length > 0 && (
            <section className="plans" aria-label="Decided">
              <h2>Earlier</h2>
              {decided.map(card)}
            </section>
          )}
        </>
      )}
    </Page>
  )
}

function NothingWaits() {
  return (
    <div className="plans-none">
      <Empty icon="plans" title="Nothing waits to be confirmed">
        Deletes come here in the place of being done at once, when an agent is started like this, or when its key was made with “Deletes wait for confirmation”.
      </Empty>
      <Code label="How to start an agent whose deletes wait" text="crm mcp --confirm deletes" />
    </div>
  )
}
