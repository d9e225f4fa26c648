import type { Crm } from 'crm-connector'
import { useAnswer } from '../data/answer.ts'
import { useSession } from '../session/session.ts'

/** What a stage or status counts as. */
export type Kind = 'open' | 'won' | 'lost' | 'closed'
type State = string | null
export type Kinds = ReadonlyMap<State, Kind>

/**
 * Which stages and statuses count as open is for the service's configuration to say, so the service is asked: the figures of one record
 * that has the stage say what it counts as. Resolves to undefined when no record has it any more.
 */
const ASK = {
  async Opportunity({ opportunities }: Crm, Stage: State, mayLook: boolean): Promise<Kind | undefined> {
    const one = mayLook ? (await opportunities.getMany({ Filters: { Stage }, Limit: 1, Select: ['OpportunityID'] })).Records[0] : undefined
    const { Open, Won, Lost } = await opportunities.getSummary({ Filters: { Stage, ...(one && { OpportunityID: one.OpportunityID }) } })
    return Won.Count > 0 ? 'won' : Lost.Count > 0 ? 'lost' : Open.Count > 0 ? 'open' : undefined
  },
  async Case({ cases }: Crm, Status: State, mayLook: boolean): Promise<Kind | undefined> {
    const one = mayLook ? (await cases.getMany({ Filters: { Status }, Limit: 1, Select: ['CaseID'] })).Records[0] : undefined
    const { Open, Closed } = await cases.getSummary({ Filters: { Status, ...(one && { CaseID: one.CaseID }) } })
    return Closed.Count > 0 ? 'closed' : Open.Count > 0 ? 'open' : undefined
  },
}
const LOOK = { Opportunity: 'get_many_opportunities', Case: 'get_many_cases' } as const

/** It is the same for as long as the service runs, so each is asked about once. */
const known = new WeakMap<Crm, Map<string, Kind>>()

const nameOf = (type: string, state: State) => JSON.stringify([type, state])

export interface Known {
  /** Undefined until all are known. */
  readonly kinds: Kinds | undefined
  readonly error: unknown
  readonly again: () => void
}

export function useKinds(type: keyof typeof ASK, states: readonly State[] | undefined): Known {
  const { crm, may } = useSession()
  const mayLook = may(LOOK[type])
  const asked = states && JSON.stringify(states)
  const memory = known.get(crm) ?? new Map<string, Kind>()
  known.set(crm, memory)
  const { answer, error, again } = useAnswer(async () => {
    const kinds = await Promise.all(
      (states ?? []).map(async (state) => {
        const kind = memory.get(nameOf(type, state)) ?? (await ASK[type](crm, state, mayLook))
        if (kind) memory.set(nameOf(type, state), kind)
        return [state, kind ?? 'open'] as const
      }),
    )
    return new Map(kinds)
  }, [crm, type, asked, mayLook])
  const kinds = (states ?? []).flatMap((state) => {
    const kind = memory.get(nameOf(type, state)) ?? answer?.get(state)
    return kind ? [[state, kind] as const] : []
  })
  return { kinds: states && kinds.length === states.length ? new Map(kinds) : undefined, error, again }
}

/** Those that count as open, as a filter takes them. */
export const openOnes = (kinds: Kinds): State[] => [...kinds].filter(([, kind]) => kind === 'open').map(([state]) => state)
