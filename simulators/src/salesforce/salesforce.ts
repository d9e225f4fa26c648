import { DAY_MS } from '../dates.ts'
import { FaultError, type Quota } from '../faults.ts'
import { isObject } from '../json.ts'
import type { Failure, Simulate, Simulated, WireAnswer, WireRequest } from '../simulated.ts'
import { invalidSession, noResource, Refusal } from './errors.ts'
import { failureAnswer, isLocked } from './failures.ts'
import { Org } from './org.ts'
import { purgeDeleted } from './records/recycle-bin.ts'
import { Cursors } from './rest/cursors.ts'
import { QueryJobs } from './rest/query-jobs.ts'
import { answerApi, partsOf } from './rest/routes.ts'
import { answerOauth, isOauth, isTokenRequest } from './sign-in/oauth.ts'
import { Sessions, tokenOf } from './sign-in/sessions.ts'
import { answerSoap, isSoap, isSoapLogin } from './soap/soap.ts'

/** Calls a day of a developer org. They are counted; only the fault `daily-quota` refuses calls. */
const DAILY = 15_000

const OLDEST = 31
const NEWEST = 66
const SEASONS = ['Spring', 'Summer', 'Winter']

/** Three versions a year since 31.0 in summer 2014; a winter release is named after the year it ends in. */
const VERSIONS = Array.from({ length: NEWEST - OLDEST + 1 }, (_, at) => {
  const since = at + 1
  const year = 14 + Math.floor((since + (SEASONS[since % 3] === 'Winter' ? 3 : 0)) / 3)
  return { label: `${SEASONS[since % 3]} '${year}`, url: `/services/data/v${OLDEST + at}.0`, version: `${OLDEST + at}.0` }
})

/** A simulated Salesforce org. */
export const simulateSalesforce: Simulate = (world): Simulated => {
  let org = new Org(world)
  const sessions = new Sessions(() => Number(world.now()))
  const cursors = new Cursors()
  const jobs = new QueryJobs()
  let usage = { day: 0, used: 0 }

  function counted(request: WireRequest): Quota {
    const day = Math.floor(Number(world.now()) / DAY_MS)
    usage = { day, used: (usage.day === day ? usage.used : 0) + countOf(request) }
    return world.faults.quota(request) ?? { used: usage.used, most: DAILY }
  }

  function answerData(request: WireRequest, used: Quota): WireAnswer {
    const userId = sessions.userOf(org, tokenOf(request))
    const found = partsOf(request)
    if (!found) throw noResource()
    const method = request.method === 'POST' ? (request.query.get('_HttpMethod') ?? 'POST').toUpperCase() : request.method
    const allowsDuplicates = /allowSave\s*=\s*true/i.test(request.headers['sforce-duplicate-rule-header'] ?? '')
    return answerApi({ org, cursors, jobs, usage: used }, { userId, version: found.version, allowsDuplicates }, { ...request, method }, found.parts)
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
      withRefusals(() => answerData(request, used)),
      used,
    )
  }

  const isSignIn = (request: WireRequest) => isTokenRequest(request) || isSoapLogin(request)

  function answer(request: WireRequest): WireAnswer {
    org.begin(request)
    org.schema.hide(world.faults.names('field-security'))
    const answered = withRefusals(() => dispatched(request))
    return { ...answered, headers: { date: world.now().toUTCString(), ...answered.headers } }
  }

  return {
    answer,
    isSignIn,
    isWrite: (request) => request.method !== 'GET' && request.method !== 'HEAD' && isLocked(request),
    hasField: (object, field) => org.schema.object(object)?.fields.has(field.toLowerCase()) ?? false,
    fail: (failure: Failure, request: WireRequest) =>
      withRefusals(() => {
        if (failure === 'expired-session') {
          sessions.end(tokenOf(request))
          // Paths that need no session are answered as usual.
          if (!isSoap(request) && !partsOf(request)) return answer(request)
        }
        const answered = failureAnswer(failure, request, isSignIn(request))
        if (!answered) return answer(request)
        return partsOf(request) ? withUsage(answered, counted(request)) : answered
      }),
    reset() {
      org = new Org(world)
      sessions.endAll()
      cursors.clear()
      jobs.clear()
      usage = { day: 0, used: 0 }
    },
    state: () => ({ records: org.counts() }),
    administration: {
      'POST deleted/purge': (input) => ({ purged: purgeDeleted(org, timeIn(input, 'until') ?? Number(world.now())) }),
    },
    tokens: {
      list: () => sessions.grants.list(),
      expire: () => sessions.expireAll(),
      revoke: () => sessions.grants.revokeAll(),
    },
  }
}

function timeIn(input: unknown, name: string): number | undefined {
  const given = isObject(input) ? input[name] : null
  if (given === undefined) return undefined
  const time = typeof given === 'string' ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time)) throw new FaultError(`{"${name}": "2026-05-01T12:00:00Z"} is expected.`)
  return time
}

/** What a request counts against the daily limit: each part of a batch, whereas a composite request counts once, and bulk jobs are counted apart. */
function countOf({ path, body }: WireRequest): number {
  if (path.endsWith('/composite/batch')) return Math.max(1, body.split('"method"').length - 1)
  return /\/jobs\//.test(path) ? 0 : 1
}

function withUsage(answer: WireAnswer, { used, most }: Quota): WireAnswer {
  return { ...answer, headers: { ...answer.headers, 'sforce-limit-info': `api-usage=${used}/${most}` } }
}

/** Answers refusals as they are, and any other error as UNKNOWN_EXCEPTION. */
function withRefusals(work: () => WireAnswer): WireAnswer {
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
