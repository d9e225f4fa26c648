import type { Crm } from 'crm-connector'
import { useEffect, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { useLive } from '../data/live.tsx'
import { useSession } from '../session/session.ts'

export type Plan = Awaited<ReturnType<Crm['plans']['getMany']>>['Records'][number]

/** What becomes of a plan that is carried out is announced as what it did, so whatever takes something away may have been one. */
const MAY_DECIDE = /^plan\.|\.(deleted|erased|revoked|removed_from_campaign)$/

/** Bulk deletes announce much at once. */
const BATCH_MS = 300

/** Calls again when something may have become of a plan, and every so often. */
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

/** How many plans wait to be confirmed; more than 99 are as many. */
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
