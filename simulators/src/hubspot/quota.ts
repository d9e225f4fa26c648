import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../dates.ts'
import type { Quota } from '../faults.ts'
import type { WireAnswer, WireRequest } from '../simulated.ts'
import type { Portal } from './portal.ts'
import type { Access } from './sign-in/sessions.ts'

/** The limits of a private app. */
const DAILY = 650_000
const INTERVAL_MS = 10_000
const BURST: { readonly [A in Access]: number } = { 'private-app': 190, oauth: 110 }

/** Counts a call, for the headers. Only faults refuse calls, so that tests are in control. */
export function countCall({ calls }: Portal, now: number): void {
  const day = Math.floor(now / DAY_MS)
  if (calls.day !== day) Object.assign(calls, { day, today: 0 })
  if (now - calls.since >= INTERVAL_MS) Object.assign(calls, { since: now, lately: 0 })
  calls.today++
  calls.lately++
}

/** The daily quota: that of the fault `daily-quota`, or of the account. */
export function daily({ calls, world }: Portal, request: WireRequest): Quota {
  return world.faults.quota(request) ?? { used: Math.min(calls.today, DAILY - 1), most: DAILY }
}

function dailyHeaders(portal: Portal, request: WireRequest): { [name: string]: string } {
  const { used, most } = daily(portal, request)
  return { 'x-hubspot-ratelimit-daily': String(most), 'x-hubspot-ratelimit-daily-remaining': String(most - used) }
}

/** The rate limit headers. Searches have none, and only private apps get the daily ones. */
export function quotaHeaders(portal: Portal, access: Access, request: WireRequest): { [name: string]: string } {
  if (isSearch(request)) return {}
  const burst = BURST[access]
  return {
    ...(access === 'private-app' && dailyHeaders(portal, request)),
    'x-hubspot-ratelimit-interval-milliseconds': String(INTERVAL_MS),
    'x-hubspot-ratelimit-max': String(burst),
    'x-hubspot-ratelimit-remaining': String(Math.max(1, burst - portal.calls.lately)),
    'x-hubspot-ratelimit-secondly': String(burst / 10),
    'x-hubspot-ratelimit-secondly-remaining': String(burst / 10 - 1),
  }
}

export const isSearch = ({ method, path }: WireRequest) => method === 'POST' && path.endsWith('/search')

type Policy = 'TEN_SECONDLY_ROLLING' | 'SECONDLY' | 'DAILY'

/** The 429. It has an errorType in place of a category, and no Retry-After. */
export function rateLimited(policyName: Policy, portal: Portal, request: WireRequest): WireAnswer {
  const body = {
    status: 'error',
    message: `You have reached your ${policyName.toLowerCase()} limit.`,
    errorType: 'RATE_LIMIT',
    correlationId: randomUUID(),
    policyName,
    requestId: randomUUID().replaceAll('-', ''),
  }
  const headers = {
    ...(policyName === 'DAILY' && dailyHeaders(portal, request)),
    ...(policyName === 'TEN_SECONDLY_ROLLING' && {
      'x-hubspot-ratelimit-interval-milliseconds': String(INTERVAL_MS),
      'x-hubspot-ratelimit-max': String(BURST['private-app']),
      'x-hubspot-ratelimit-remaining': '0',
    }),
  }
  return { status: 429, headers, body }
}
