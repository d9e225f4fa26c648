import type { Crm } from 'crm-connector'
import { useEffect, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { useLive } from '../data/live.tsx'
import { useSession } from '../session/session.ts'

export type Plan = Awaited<ReturnType<Crm['plans']['getMany']>>['Records'][number]

/** A plan that is executed emits only the event of its delete, so any delete may have decided one. */
const MAY_DECIDE = /^plan\.|\.(deleted|erased|revoked|removed_from_campaign)$/

/** Bulk deletes emit many events; they cause one reload. */
const BATCH_MS = 300

/** Reloads after events that may have created or decided a plan, and at an interval. */
export function usePlanUpdates(reload: () => void, everyMs: number): void {
  const [updates, setUpdates] = useState(0)
  useLive(({ Type }) => MAY_DECIDE.test(Type) && setUpdates((n) => n + 1))
  useEffect(() => {
    const timer = updates > 0 ? setTimeout(reload, BATCH_MS) : undefined
    return () => clearTimeout(timer)
  }, [updates, reload])
  useInterval(everyMs, reload)
}

const POLL_MS = 30_000

/** How many plans wait for confirmation, at most 99. */
export function usePendingCount(): number {
  const { crm, may } = useSession()
  const allowed = may('get_many_plans')
  const { answer, reload } = useAnswer(
    async (signal) =>
      allowed
        ? (await crm.plans.getMany({ Filters: { State: 'waiting', ExpiresDate: { gt: new Date().toISOString() } }, Limit: 99, Select: ['State'] }, { signal }))
            .Records.length
        : 0,
    [crm, allowed],
  )
  usePlanUpdates(reload, POLL_MS)
  return answer ?? 0
}
