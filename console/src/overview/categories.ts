import type { Crm } from 'crm-connector'
import { useAnswer } from '../data/answer.ts'
import { useSession } from '../session/session.ts'

/** What a stage or status counts as in the summaries. */
export type Category = 'open' | 'won' | 'lost' | 'closed'
type State = string | null
export type Categories = ReadonlyMap<State, Category>

/**
 * Which stages and statuses count as open is configured in the service, and no operation returns it. So the summary of one record with the
 * stage is requested, which shows how that record is counted. Resolves to undefined if no record has the stage any more.
 */
const CATEGORY_OF = {
  async Opportunity({ opportunities }: Crm, Stage: State, mayRead: boolean): Promise<Category | undefined> {
    const record = mayRead ? (await opportunities.getMany({ Filters: { Stage }, Limit: 1, Select: ['OpportunityID'] })).Records[0] : undefined
    const { Open, Won, Lost } = await opportunities.getSummary({ Filters: { Stage, ...(record && { OpportunityID: record.OpportunityID }) } })
    return Won.Count > 0 ? 'won' : Lost.Count > 0 ? 'lost' : Open.Count > 0 ? 'open' : undefined
  },
  async Case({ cases }: Crm, Status: State, mayRead: boolean): Promise<Category | undefined> {
    const record = mayRead ? (await cases.getMany({ Filters: { Status }, Limit: 1, Select: ['CaseID'] })).Records[0] : undefined
    const { Open, Closed } = await cases.getSummary({ Filters: { Status, ...(record && { CaseID: record.CaseID }) } })
    return Closed.Count > 0 ? 'closed' : Open.Count > 0 ? 'open' : undefined
  },
}
const GET_MANY = { Opportunity: 'get_many_opportunities', Case: 'get_many_cases' } as const

/** The configuration cannot change while the service runs, so each is requested once. */
const cache = new WeakMap<Crm, Map<string, Category>>()

const keyOf = (type: string, state: State) => JSON.stringify([type, state])

export interface CategoryAnswer {
  /** Undefined until all are loaded. */
  readonly categories: Categories | undefined
  readonly error: unknown
  readonly reload: () => void
}

export function useCategories(type: keyof typeof CATEGORY_OF, states: readonly State[] | undefined): CategoryAnswer {
  const { crm, may } = useSession()
  const mayRead = may(GET_MANY[type])
  const key = states && JSON.stringify(states)
  const known = cache.get(crm) ?? new Map<string, Category>()
  cache.set(crm, known)
  const { answer, error, reload } = useAnswer(async () => {
    const categories = await Promise.all(
      (states ?? []).map(async (state) => {
        const category = known.get(keyOf(type, state)) ?? (await CATEGORY_OF[type](crm, state, mayRead))
        if (category) known.set(keyOf(type, state), category)
        return [state, category ?? 'open'] as const
      }),
    )
    return new Map(categories)
  }, [crm, type, key, mayRead])
  const categories = (states ?? []).flatMap((state) => {
    const category = known.get(keyOf(type, state)) ?? answer?.get(state)
    return category ? [[state, category] as const] : []
  })
  return { categories: states && categories.length === states.length ? new Map(categories) : undefined, error, reload }
}

/** The operand of an `in` filter for open records. */
export const openStates = (categories: Categories): State[] => [...categories].filter(([, category]) => category === 'open').map(([state]) => state)
