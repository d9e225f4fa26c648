import { useAnswer } from '../data/answer.ts'
import { Code } from '../parts/code.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { ConfirmationCard, stateOf, useNow } from './confirmation-card.tsx'
import { usePlanUpdates } from './pending.ts'
import { useStaleness } from './staleness.ts'
import './confirmations.css'

const POLL_MS = 10_000
const MOST = 100

/** The page of deletions that wait for approval, the API's plans. */
export function Confirmations() {
  const { crm, may } = useSession()
  const { answer, error, reload } = useAnswer((signal) => crm.plans.getMany({ Limit: MOST }, { signal }), [crm])
  const mayName = may('get_many_keys')
  const keys = useAnswer(async (signal) => (mayName ? (await crm.keys.getMany({ Limit: 1000, Select: ['Label'] }, { signal })).Records : []), [crm, mayName])
  usePlanUpdates(reload, POLL_MS)
  const now = useNow()
  const plans = answer?.Records ?? []
  const [waiting, earlier] = [plans.filter((plan) => stateOf(plan, now) === 'waiting'), plans.filter((plan) => stateOf(plan, now) !== 'waiting')]
  const staleness = useStaleness(waiting)
  const card = (plan: (typeof plans)[number]) => (
    <ConfirmationCard
      key={plan.PlanID}
      plan={plan}
      now={now}
      keyName={keys.answer?.find(({ KeyID }) => KeyID === plan.KeyID)?.Label ?? undefined}
      staleness={staleness.get(plan.PlanID)}
      onDecided={reload}
    />
  )

  return (
    <Page title="Deletions waiting for approval" about="What agents and programs want to delete, until a person allows or refuses it.">
      {error && !answer ? (
        <Refusal error={error} reload={reload} />
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
            <NonePending />
          )}
          {earlier.length > 0 && (
            <section className="plans" aria-label="Decided">
              <h2>Earlier</h2>
              {earlier.map(card)}
            </section>
          )}
        </>
      )}
    </Page>
  )
}

function NonePending() {
  return (
    <Empty
      icon="plans"
      title="No deletions are waiting"
      act={<Code label="Command that starts an agent whose deletions wait" text="crm mcp --confirm deletes" />}
    >
      Deletions wait here if their API key was created with “Deletions wait for approval”, or if the agent is started like this:
    </Empty>
  )
}
