import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../dates.ts'
import type { Quota } from '../faults.ts'
import type { WireAnswer, WireRequest } from '../simulated.ts'
import type { Portal } from './portal.ts'
import type { Access } from './sign-in/sessions.ts'

const DAILY = 650_000

const SECOND_MS = 1000

/** Counts a call, and says which limit it exceeds. A refused call counts, too. */
export function countCall({ calls, limits }: Portal, request: WireRequest, now: number): Policy | undefined {
  const day = Math.floor(now / DAY_MS)
  if (calls.day !== day) Object.assign(calls, { day, today: 0 })
  calls.today++
  if (added(calls.lately, now, limits.intervalMs) > limits.requests) return 'TEN_SECONDLY_ROLLING'
  return isSearch(request) && added(calls.searches, now, SECOND_MS) > limits.searches ? 'SECONDLY' : undefined
}

/** How many calls there were in the time before now, with the one that is added. */
function added(calls: number[], now: number, spanMs: number): number {
  const first = calls.findIndex((at) => at > now - spanMs)
  calls.splice(0, first < 0 ? calls.length : first)
  return calls.push(now)
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
  const { requests, intervalMs } = portal.limits
  return {
    ...(access === 'private-app' && dailyHeaders(portal, request)),
    'x-hubspot-ratelimit-interval-milliseconds': String(intervalMs),
    'x-hubspot-ratelimit-max': String(requests),
    'x-hubspot-ratelimit-remaining': String(Math.max(0, requests - portal.calls.lately.length)),
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
      'x-hubspot-ratelimit-interval-milliseconds': String(portal.limits.intervalMs),
      'x-hubspot-ratelimit-max': String(portal.limits.requests),
      'x-hubspot-ratelimit-remaining': '0',
    }),
  }
  return { status: 429, headers, body }
}
