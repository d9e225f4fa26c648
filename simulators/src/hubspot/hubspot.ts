import { randomUUID } from 'node:crypto'
import type { Failure, Simulate, Simulated, WireAnswer, WireRequest, World } from '../simulated.ts'
import { answerOf, page, Refusal } from './errors.ts'
import { type Limits, NO_LIMITS } from './limits.ts'
import { restored } from './objects/restore.ts'
import { Portal } from './portal.ts'
import { countCall, isSearch, quotaHeaders, rateLimited } from './quota.ts'
import { find, partsOf, versionIn } from './routes.ts'
import { signedIn } from './sign-in/people.ts'

const REASONS = { 404: 'Not Found', 405: 'Method Not Allowed' } as const

/** POST paths that only read. */
const READS = /\/(?:search|batch\/read|access-token-info)$/
const isSignIn = ({ path }: WireRequest) => path.startsWith('/oauth/')

/** A simulated HubSpot account: objects, associations, properties, schemas, pipelines, owners and lists. */
export const simulateHubSpot: Simulate = (world) => simulateHubSpotWith(NO_LIMITS)(world)

/** The same, with limits that refuse calls. */
export const simulateHubSpotWith =
  (limits: Limits) =>
  (world: World): Simulated => {
    let portal = new Portal(world, limits)

    function answered(request: WireRequest): WireAnswer {
      const parts = partsOf(request.path)
      const found = parts ? find(request.method, parts) : 404
      if (typeof found === 'number') return page(found, REASONS[found])
      const access = isSignIn(request) ? undefined : portal.sessions.check(request.headers.authorization)
      portal.request = request
      portal.version = versionIn(request.path)
      portal.userId = portal.sessions.userOf(request.headers.authorization)
      const exceeded = countCall(portal, request, portal.now())
      if (exceeded) return rateLimited(exceeded, portal, request)
      portal.calculations.run(portal.now(), portal.horizon)
      const headers = access ? quotaHeaders(portal, access, request) : {}
      const answer = unlessRefused(() => found.handler({ portal, request, param: (name) => found.params[name] ?? '' }))
      return { ...answer, headers: { ...headers, ...answer.headers } }
    }

    /** The answer to each failure. HubSpot has no record locks; it answers 423 when an account is written to too fast. */
    const FAILURES: { readonly [T in Failure]: (request: WireRequest) => WireAnswer } = {
      'rate-limit': (request) => rateLimited(isSearch(request) ? 'SECONDLY' : 'TEN_SECONDLY_ROLLING', portal, request),
      'daily-quota': (request) => rateLimited('DAILY', portal, request),
      error: () => answerOf(new Refusal(500, 'internal error', { requestId: randomUUID().replaceAll('-', '') })),
      'expired-session': ({ headers }) => answerOf(portal.sessions.end(headers.authorization)),
      'lock-row': () => answerOf(new Refusal(423, 'The object is locked by another request. Wait at least 2 seconds and try again.', { category: 'LOCKED' })),
    }

    return {
      answer: (request) => unlessRefused(() => answered(request)),
      fail: (failure, request) => FAILURES[failure](request),
      isSignIn,
      isWrite: ({ method, path }) => method !== 'GET' && method !== 'HEAD' && !READS.test(path),
      hasField: (object, field) => portal.knownType(object)?.fields.has(field.toLowerCase()) ?? false,
      reset() {
        portal = new Portal(world, limits)
      },
      administration: {
        'POST restore': (input) => restored(portal, input),
        'POST people/sign-in': (input) => signedIn(portal, input),
      },
      tokens: {
        list: () => portal.sessions.grants.list(),
        expire: () => portal.sessions.expireAll(),
        revoke: () => portal.sessions.grants.revokeAll(),
      },
      state() {
        const records = Object.fromEntries([...portal.allTypes()].map(({ plural, records }) => [plural, records.count]))
        return { portalId: portal.id, records, owners: portal.owners.length, lists: portal.lists.size, callsToday: portal.calls.today }
      },
    }
  }

function unlessRefused(answer: () => WireAnswer): WireAnswer {
  try {
    return answer()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return answerOf(error)
  }
}
