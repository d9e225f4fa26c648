import { FAULTS, FaultError, type Faults } from './faults.ts'
import { isObject } from './json.ts'
import type { IssuedTokens, Simulated, WireAnswer, WireRequest } from './simulated.ts'
import { targetOf } from './target.ts'

interface Running {
  readonly faults: Faults
  readonly simulated: Simulated
  readonly calls: () => number
  /** Refuses an invalid fault, or one that hides a field which this CRM does not have. */
  check(fault: string): void
  advance(ms: number): Promise<void>
  reset(): void
}

const PATH = '/simulator'
const PATHS = [`GET ${PATH}`, `GET, PUT, POST and DELETE ${PATH}/faults`, `POST ${PATH}/clock`, `POST ${PATH}/requests`]
const TOKEN_PATHS = [`GET and DELETE ${PATH}/tokens`, `POST ${PATH}/tokens/expire`]

export function isAdministration({ path }: WireRequest): boolean {
  return path === PATH || path.startsWith(`${PATH}/`)
}

/** The simulator's own endpoints: switches faults, advances the clock, performs many requests at once and resets, while it runs. */
export async function administer(running: Running, request: WireRequest): Promise<WireAnswer> {
  try {
    return await route(running, request)
  } catch (error) {
    if (!(error instanceof FaultError) && !(error instanceof SyntaxError)) throw error
    return { status: 400, body: { error: error.message } }
  }
}

async function route({ faults, simulated, calls, check, advance, reset }: Running, request: WireRequest): Promise<WireAnswer> {
  const { method, path, body } = request
  const shown = () => ({ status: 200, body: { calls: calls(), faults: faults.list(), ...simulated.state() } })
  const asked = `${method} ${path.slice(PATH.length + 1)}`
  const tokens = simulated.tokens && answerTokens(simulated.tokens, asked)
  if (tokens) return tokens
  const { administration = {} } = simulated
  if (Object.hasOwn(administration, asked)) return { status: 200, body: administration[asked]?.(body === '' ? {} : JSON.parse(body)) ?? {} }
  switch (asked) {
    case 'GET ':
      return shown()
    case 'GET faults':
      return { status: 200, body: { on: faults.list(), known: FAULTS } }
    case 'PUT faults':
    case 'POST faults': {
      const given = textsIn(JSON.parse(body))
      for (const fault of given) check(fault)
      if (method === 'PUT') faults.clear()
      for (const fault of given) faults.add(fault)
      return { status: 200, body: { on: faults.list() } }
    }
    case 'DELETE faults':
      faults.clear()
      return { status: 200, body: { on: [] } }
    case 'POST clock': {
      const ms: unknown = (JSON.parse(body) as { advance?: unknown } | null)?.advance
      if (typeof ms !== 'number' || !(ms >= 0)) throw new FaultError('{"advance": milliseconds} is expected.')
      await advance(ms)
      return shown()
    }
    case 'POST requests':
      return perform(simulated, request)
    case 'POST reset':
      reset()
      return shown()
    default: {
      const own = Object.keys(administration).map((known) => known.replace(' ', ` ${PATH}/`))
      return { status: 404, body: { error: `There is ${[...PATHS, ...(simulated.tokens ? TOKEN_PATHS : []), ...own].join(', ')} and POST ${PATH}/reset.` } }
    }
  }
}

/** Performs many requests, one after another, each with the headers of this one. The first that is refused ends it, and is answered as the CRM does. */
async function perform(simulated: Simulated, request: WireRequest): Promise<WireAnswer> {
  const given: unknown = JSON.parse(request.body)
  if (!Array.isArray(given) || !given.every(isRequest))
    throw new FaultError('A list of requests is expected, such as [{"method": "POST", "path": "/…", "body": {}}].')
  for (const { method, path, body } of given) {
    const answer = await simulated.answer({ ...request, method, ...targetOf(path), body: JSON.stringify(body) ?? '' })
    if (answer.status >= 400) return answer
  }
  return { status: 200, body: { performed: given.length } }
}

const isRequest = (one: unknown): one is { readonly method: string; readonly path: string; readonly body?: unknown } =>
  isObject(one) && typeof one.method === 'string' && typeof one.path === 'string'

function answerTokens(tokens: IssuedTokens, asked: string): WireAnswer | undefined {
  switch (asked) {
    case 'GET tokens':
      break
    case 'DELETE tokens':
      tokens.revoke()
      break
    case 'POST tokens/expire':
      tokens.expire()
      break
    default:
      return undefined
  }
  return { status: 200, body: tokens.list() }
}

function textsIn(given: unknown): string[] {
  if (Array.isArray(given) && given.every((one): one is string => typeof one === 'string')) return given
  throw new FaultError('A list of faults is expected, such as ["drop-after=0.1", "rate-limit=2x"].')
}
