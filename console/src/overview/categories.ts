import { useMemo } from 'react'
import { useDescribed } from '../session/session.ts'

/** What a stage or status counts as in the summaries. */
export type Category = 'open' | 'won' | 'lost' | 'closed'
type State = string | null
export type Categories = ReadonlyMap<State, Category>

/** The categories of these stages or statuses, as the service describes them; undefined while they are not known. */
export function useCategories(type: 'Opportunity' | 'Case', states: readonly State[] | undefined): Categories | undefined {
  const closed = useDescribed(type)?.ClosedStates
  const key = states && JSON.stringify(states)
  return useMemo(() => {
    const categoryOf = (state: State): Category => {
      const isIn = (list: readonly string[] | undefined) => state !== null && (list?.includes(state) ?? false)
      return isIn(closed?.Won) ? 'won' : isIn(closed?.Lost) ? 'lost' : isIn(closed?.Closed) ? 'closed' : 'open'
    }
    return states && new Map(states.map((state) => [state, categoryOf(state)]))
  }, [closed, key])
}

/** The operand of an `in` filter for open records. */
export const openStates = (categories: Categories): State[] => [...categories].filter(([, category]) => category === 'open').map(([state]) => state)
