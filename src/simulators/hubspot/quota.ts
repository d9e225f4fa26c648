import { randomUUID } from 'node:crypto'
import type { WireAnswer } from '../simulated.ts'
import type { Portal } from './portal.ts'
import type { Access } from './sessions.ts'

/** What a private app may do in a day and in ten seconds. */
export const DAILY = 650_000
const INTERVAL_MS = 10_000
const BURST: { readonly [A in Access]: number } = { 'private-app': 190, oauth: 110 }

/** Counts a call. Nothing is refused for it: only the faults refuse calls, so that whoever tests can say when. */
export function count({ calls }: Portal, now: number): void {
  const day = Math.floor(now / 86_400_000)
  if (calls.day !== day) Object.assign(calls, { day, today: 0 })
  if (now - calls.since >= INTERVAL_MS) Object.assign(calls, { since: now, lately: 0 })
  calls.today++
  calls.lately++
}

/** The headers that say what is left. Searches come without them, and only private apps are told of the day. */
export function quotaHeaders({ calls }: Portal, access: Access, isSearch: boolean): { [name: string]: string } {
  if (isSearch) return {}
  const burst = BURST[access]
  return {
    ...(access === 'private-app' && {
      'x-hubspot-ratelimit-daily': String(DAILY),
      'x-hubspot-ratelimit-daily-remaining': String(Math.max(1, DAILY - calls.today)),
    }),
    'x-hubspot-ratelimit-interval-milliseconds': String(INTERVAL_MS),
    'x-hubspot-ratelimit-max': String(burst),
    'x-hubspot-ratelimit-remaining': String(Math.max(1, burst - calls.lately)),
    'x-hubspot-ratelimit-secondly': String(burst / 10),
    'x-hubspot-ratelimit-secondly-remaining': String(burst / 10 - 1),
  }
}

type Policy = 'TEN_SECONDLY_ROLLING' | 'SECONDLY' | 'DAILY'

/** Too many calls. This has an errorType in the place of a category, and does not say when to come back. */
export function tooMany(policyName: Policy): WireAnswer {
  const body = {
    status: 'error',
    message: `You have reached your ${policyName.toLowerCase()} limit.`,
    errorType: 'RATE_LIMIT',
    correlationId: randomUUID(),
    policyName,
    requestId: randomUUID().replaceAll('-', ''),
  }
  const headers = {
    ...(policyName === 'DAILY' && { 'x-hubspot-ratelimit-daily': String(DAILY), 'x-hubspot-ratelimit-daily-remaining': '0' }),
    ...(policyName === 'TEN_SECONDLY_ROLLING' && {
      'x-hubspot-ratelimit-interval-milliseconds': String(INTERVAL_MS),
      'x-hubspot-ratelimit-max': String(BURST['private-app']),
      'x-hubspot-ratelimit-remaining': '0',
    }),
  }
  return { status: 429, headers, body }
}
