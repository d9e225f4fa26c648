import type { Simulate, Simulated, Trouble, WireAnswer, WireRequest } from '../simulated.ts'
import { invalidSession, noResource, Refusal } from './errors.ts'
import { isLocked, troubled } from './failures.ts'
import { Org } from './org.ts'
import { Cursors } from './rest/cursors.ts'
import { answerApi, partsOf } from './rest/routes.ts'
import { answerOauth, isOauth, isTokenRequest } from './sign-in/oauth.ts'
import { Sessions, tokenOf } from './sign-in/sessions.ts'
import { answerSoap, isSoap, isSoapLogin } from './soap/soap.ts'

/** Calls a day, as a developer org has them. They are counted, and only refused where a fault says so. */
const DAILY = 15_000
const DAY = 86_400_000

const OLDEST = 31
const NEWEST = 66
const SEASONS = ['Spring', 'Summer', 'Winter']

/** Version 31.0 came in the summer of 2014, and there are three a year; the winter is named after the year it ends in. */
const VERSIONS = Array.from({ length: NEWEST - OLDEST + 1 }, (_, at) => {
  const since = at + 1
  const year = 14 + Math.floor((since + (SEASONS[since % 3] === 'Winter' ? 3 : 0)) / 3)
  return { label: `${SEASONS[since % 3]} '${year}`, url: `/services/data/v${OLDEST + at}.0`, version: `${OLDEST + at}.0` }
})

/** A Salesforce org that is none. */
export const simulateSalesforce: Simulate = (world): Simulated => {
  let org = new Org(world)
  const sessions = new Sessions()
  const cursors = new Cursors()
  let usage = { day: 0, used: 0 }

  function counted(request: WireRequest): { readonly used: number; readonly most: number } {
    const day = Math.floor(Number(world.now()) / DAY)
    usage = { day, used: usage.day === day ? usage.used + 1 : 1 }
    return world.faults.quota(request) ?? { used: usage.used, most: DAILY }
  }

  function answerData(request: WireRequest, used: { readonly used: number; readonly most: number }): WireAnswer {
    const userId = sessions.userOf(org, tokenOf(request))
    const found = partsOf(request)
    if (!found) throw noResource()
    const method = request.method === 'POST' ? (request.query.get('_HttpMethod') ?? 'POST').toUpperCase() : request.method
    return answerApi({ org, cursors, usage: used }, { userId, version: found.version }, { ...request, method }, found.parts)
  }

  function dispatched(request: WireRequest): WireAnswer {
    if (isOauth(request)) return answerOauth(org, sessions, request)
    if (isSoap(request)) return answerSoap(org, sessions, request)
    if (/^\/services\/data\/?$/.test(request.path)) return { status: 200, body: VERSIONS }
    if (!request.path.startsWith('/services/')) {
      return {
        status: 404,
        headers: { 'content-type': 'text/html;charset=UTF-8' },
        body: '<html><head><title>URL No Longer Exists</title></head><body>URL No Longer Exists</body></html>',
      }
    }
    const used = counted(request)
    return withUsage(
      refusing(() => answerData(request, used)),
      used,
    )
  }

  const isSignIn = (request: WireRequest) => isTokenRequest(request) || isSoapLogin(request)

  function answer(request: WireRequest): WireAnswer {
    org.begin()
    org.schema.hide(world.faults.names('field-security'))
    return refusing(() => dispatched(request))
  }

  return {
    answer,
    isSignIn,
    isWrite: (request) => request.method !== 'GET' && request.method !== 'HEAD' && isLocked(request),
    knows: (object, field) => org.schema.object(object)?.fields.has(field.toLowerCase()) ?? false,
    trouble: (trouble: Trouble, request: WireRequest) =>
      refusing(() => {
        if (trouble === 'expired-session') {
          sessions.end(tokenOf(request))
          // Where no session is needed, none is missed.
          if (!isSoap(request) && !partsOf(request)) return answer(request)
        }
        const answered = troubled(trouble, request, isSignIn(request))
        if (!answered) return answer(request)
        return partsOf(request) ? withUsage(answered, counted(request)) : answered
      }),
    reset() {
      org = new Org(world)
      sessions.endAll()
      cursors.clear()
      usage = { day: 0, used: 0 }
    },
    state: () => ({ records: org.counts() }),
  }
}

function withUsage(answer: WireAnswer, { used, most }: { readonly used: number; readonly most: number }): WireAnswer {
  return { ...answer, headers: { ...answer.headers, 'sforce-limit-info': `api-usage=${used}/${most}` } }
}

/** Whatever goes wrong is answered: refusals as they are, and anything else as something nobody expected. */
function refusing(work: () => WireAnswer): WireAnswer {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) {
      const answer = error.answer()
      return error.status === invalidSession().status ? { ...answer, headers: { 'www-authenticate': 'Token' } } : answer
    }
    return new Refusal(500, 'UNKNOWN_EXCEPTION', `An unexpected error occurred: ${(error as Error).message}`).answer()
  }
}
