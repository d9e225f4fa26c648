import type { LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import type { ErrorCode } from '../../../contract/errors.ts'
import { retryAfterMs as parseRetryAfter } from '../../../helpers/retry-after.ts'
import type { Retry } from '../../platform.ts'
import { connectorWith } from './agents.ts'
import { ENCODINGS, textOf } from './content.ts'
import { answerMs, Deadline } from './deadline.ts'
import { DriverError, withRetryable } from './errors.ts'
import { hideTokens } from './secrets.ts'
import { RENEWALS, type Session, type Signed } from './session.ts'
import { userAgent } from './user-agent.ts'

export interface CrmRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the origin on, with its query; or a whole address. */
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  /** Whether it changes nothing, so that it may be sent twice. A GET does not. */
  readonly reads?: boolean
  /** Whether it writes several records, so that its status says nothing of each. */
  readonly several?: boolean
}

export interface CrmAnswer {
  readonly status: number
  /** By lower-case names. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly text: string
}

export interface ConnectionOptions {
  /** The CRM's name as it appears in messages. */
  readonly name: string
  /** Where requests go, unless the session has an origin of its own. */
  readonly origin: string
  readonly session: Session
  /** The headers that authenticate a request. */
  readonly authorize: (signed: Signed, request: CrmRequest) => { readonly [name: string]: string }
  /** Whether an answer says that the session has expired. */
  readonly isExpired: (answer: CrmAnswer) => boolean
  /** Whether an error answer is the CRM's own, and not that of a proxy in front of it. */
  readonly isOwn: (answer: CrmAnswer) => boolean
  /** The error that an answer with a status of 400 or more stands for. */
  readonly refusal: (answer: CrmAnswer, request: CrmRequest) => DriverError
  /** Called with every request that is sent. */
  readonly onRequest?: (() => void) | undefined
  /** Called with every answer, to keep track of the quota. */
  readonly onAnswer?: (answer: CrmAnswer, request: CrmRequest) => void
  /** Resolves when a request may be sent, where a limit of the account is kept. */
  readonly hold?: (request: CrmRequest) => Promise<void>
  /** Throws where too little of the quota is left. */
  readonly checkQuota?: () => void
  readonly retry: Retry
  readonly timeoutMs: number
  /** Resolves the names of hosts, as in `OpenOptions`. */
  readonly lookup?: LookupFunction | undefined
}

/**
 * How long an idle connection is reused: shorter than CRMs and what is in front of them keep theirs, and by a margin than those say that they do. A write
 * that meets a connection as it is closed would have an unknown outcome.
 */
const KEEP_ALIVE = { keepAliveTimeout: 20_000, keepAliveMaxTimeout: 60_000, keepAliveTimeoutThreshold: 2_000 }
const CONNECT_MS = 10_000

/** What an attempt tells of itself. */
interface Listening {
  readonly onSlow: (error: DriverError) => void
  readonly onSent: () => void
}

/** Errors that leave open whether the CRM has looked at our credentials. */
const UNTOLD: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unauthenticated', 'rate_limited', 'platform_unavailable', 'outcome_unknown'])

/** Requests to one account of a CRM. */
export class Connection {
  private readonly options: ConnectionOptions
  private readonly agent: Agent
  /** How far the CRM's clock is ahead of ours. */
  private clockAheadMs = 0
  /** Whether the last request was given up: further ones are not retried then, so that a CRM that hangs is waited for once by each call. */
  private isSilent = false

  constructor(options: ConnectionOptions) {
    this.options = options
    const { timeoutMs, lookup } = options
    this.agent = new Agent({
      connections: 32,
      ...KEEP_ALIVE,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: connectorWith(lookup, Math.min(CONNECT_MS, timeoutMs)),
    })
  }

  /** An answer below 300, or 304. Reads are retried while they fail temporarily, writes only where they cannot have been executed. */
  send(crmRequest: CrmRequest): Promise<CrmAnswer> {
    return this.read(crmRequest, (answer) => answer)
  }

  /** The same, as JSON; undefined where the answer says that it has no content. */
  json<T>(crmRequest: CrmRequest): Promise<T> {
    return this.read(crmRequest, (answer) => parsed<T>(answer, crmRequest, this.options))
  }

  /** The same, as `parse` reads it. An answer that cannot be parsed is retried like any other failure. */
  async read<T>(crmRequest: CrmRequest, parse: (answer: CrmAnswer) => T): Promise<T> {
    return this.options.retry(
      async (onSlow = () => {}, onSent = () => {}) => parse(await this.once(crmRequest, { onSlow, onSent })),
      (error) => (error instanceof DriverError ? { retryable: error.retryable, afterMs: error.retryAfterMs } : { retryable: false }),
    )
  }

  /** A request whose only good answer is 204. */
  async sendForNothing(crmRequest: CrmRequest): Promise<void> {
    const { status } = await this.send(crmRequest)
    if (status !== 204)
      throw new DriverError('outcome_unknown', `${this.options.name} answered with status ${status}, where 204 was expected.`, {
        unknown: 'open',
      })
  }

  /** The present time by the CRM's clock, to the second. */
  now(): number {
    return Date.now() + this.clockAheadMs
  }

  async close(): Promise<void> {
    await this.agent.close()
  }

  private async once(crmRequest: CrmRequest, listening: Listening): Promise<CrmAnswer> {
    const { session, isExpired, checkQuota } = this.options
    checkQuota?.()
    let signed = await session.get()
    let answer = await this.sent(crmRequest, signed, listening)
    // A request refused for its session was not executed, so it is safe to retry. A session that was stored may have ended like the one before.
    for (let left = RENEWALS; left > 0 && isExpired(answer); left = signed.stored ? left - 1 : 0) {
      signed = await session.after(signed)
      answer = await this.sent(crmRequest, signed, listening)
    }
    // A condition of ours, such as If-Modified-Since, is answered with 304.
    const refused = answer.status >= 300 && answer.status !== 304 ? this.refused(answer, crmRequest) : undefined
    this.noteSignIn(crmRequest, signed, answer, refused)
    if (refused) throw refused
    return answer
  }

  private async sent(crmRequest: CrmRequest, signed: Signed, listening: Listening): Promise<CrmAnswer> {
    const { onAnswer, hold } = this.options
    await hold?.(crmRequest)
    const answer = await this.transmit(crmRequest, signed, listening)
    onAnswer?.(answer, crmRequest)
    return answer
  }

  /** What an answer says of our credentials. That of a proxy, and one to a request that needs none, says nothing. */
  private noteSignIn(crmRequest: CrmRequest, signed: Signed, answer: CrmAnswer, refused: DriverError | undefined): void {
    const { session, authorize, isOwn } = this.options
    if (answer.status === 401) session.onFailed(refused)
    else if (!session.isAccepted && (!refused || (!UNTOLD.has(refused.code) && isOwn(answer)))) {
      if (Object.keys(authorize(signed, crmRequest)).length > 0) session.onAccepted()
    }
  }

  private refused(answer: CrmAnswer, crmRequest: CrmRequest): DriverError {
    const { name, refusal, isOwn } = this.options
    const { status } = answer
    if (status < 400) {
      const why = `${name} does not answer at its address, which redirects with status ${status}.`
      return new DriverError('platform_unavailable', why, { hint: 'Check the address of the platform.' })
    }
    if ((status !== 408 && status < 500) || isOwn(answer)) {
      const error = refusal(answer, crmRequest)
      // A truncated refusal is retried, to learn the reason.
      return status < 500 && isGarbled(answer) ? withRetryable(error, true) : error
    }
    // A proxy gives up while the CRM may still be executing the request.
    const why = `${name} did not answer; a proxy in front of it did, with status ${status}.`
    if (!reads(crmRequest)) return new DriverError('outcome_unknown', why, { unknown: 'open' })
    const afterMs = retryAfterMs(answer)
    return new DriverError('platform_unavailable', why, { retryable: true, ...(afterMs !== undefined && { retryAfterMs: afterMs }) })
  }

  private async transmit(crmRequest: CrmRequest, signed: Signed, { onSlow, onSent }: Listening): Promise<CrmAnswer> {
    const { name, authorize, origin, timeoutMs } = this.options
    const { method, path, headers, body } = crmRequest
    const url = /^https?:/.test(path) ? path : `${signed.origin ?? origin}${path}`
    const authorization = authorize(signed, crmRequest)
    // A CRM may repeat in a message what it was sent.
    hideTokens(...Object.values(authorization).map((value) => value.split(' ').at(-1)))
    this.options.onRequest?.()
    onSent()
    const deadline = new Deadline(reads(crmRequest) ? answerMs(timeoutMs) : timeoutMs, (ms) =>
      onSlow(new DriverError('platform_unavailable', silence(name, ms))),
    )
    try {
      const answer = await request(url, {
        method,
        dispatcher: this.agent,
        signal: deadline.signal,
        headers: {
          accept: 'application/json',
          'accept-encoding': ENCODINGS,
          'user-agent': userAgent(),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...authorization,
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      deadline.answered(timeoutMs)
      const received = {
        status: answer.statusCode,
        headers: flat(answer.headers),
        text: await textOf(await answer.body.bytes(), answer.headers['content-encoding']?.toString()),
      }
      const date = Date.parse(received.headers.date ?? '')
      if (!Number.isNaN(date)) this.clockAheadMs = date - Math.floor(Date.now() / 1000) * 1000
      this.isSilent = false
      return received
    } catch (error) {
      throw this.unanswered(error, crmRequest, deadline.passedMs)
    } finally {
      deadline.clear()
    }
  }

  /** The failure of a request without an answer. Unless no connection was made, it may have been executed all the same. */
  private unanswered(error: unknown, crmRequest: CrmRequest, ms: number): DriverError {
    if (error instanceof DriverError) return error
    const { name } = this.options
    const { code = '', message, name: kind } = error as NodeJS.ErrnoException
    // It was never sent, and would be refused in the same way each time.
    if (code === 'UND_ERR_INVALID_ARG')
      return new DriverError('invalid_input', `A request to ${name} cannot be sent: ${message}.`, {
        hint: 'A secret or a token may hold a line break, or a character that no header can have.',
        cause: error,
      })
    const never = NEVER_SENT.has(code)
    const late = kind === 'TimeoutError' || code.includes('TIMEOUT')
    const why = never ? `${name} cannot be reached: ${message}` : late ? silence(name, ms) : `The connection to ${name} was lost: ${message}`
    const retryable = !(late && this.isSilent)
    this.isSilent ||= late
    if (never || reads(crmRequest)) return new DriverError('platform_unavailable', why, { retryable, cause: error })
    return new DriverError('outcome_unknown', why, { unknown: 'open', cause: error })
  }
}

const silence = (name: string, ms: number) => `${name} did not answer within ${ms / 1000} s.`

const NEVER_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

export const reads = ({ method, reads = method === 'GET' }: CrmRequest): boolean => reads

/** The delay that an answer's Retry-After asks for. */
export const retryAfterMs = ({ headers }: CrmAnswer) => parseRetryAfter(headers['retry-after'])

/** Whether an answer is declared as JSON and is not. Pages of proxies are not declared so. */
function isGarbled({ headers, text }: CrmAnswer): boolean {
  if (text === '' || !headers['content-type']?.includes('json')) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

function flat(headers: { readonly [name: string]: string | string[] | undefined }): { [name: string]: string | undefined } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]))
}

function parsed<T>(answer: CrmAnswer, crmRequest: CrmRequest, { name, origin }: Pick<ConnectionOptions, 'name' | 'origin'>): T {
  // A read may be answered with an empty text; the answer to a write without content is a 204.
  if (answer.status === 204 || (answer.text === '' && reads(crmRequest))) return undefined as T
  try {
    return JSON.parse(answer.text) as T
  } catch {
    // Without the cause, which quotes the answer.
    const why = `${name} at ${origin} answered with something that is not JSON.`
    // A write that was answered was executed, even if the answer cannot be parsed.
    throw reads(crmRequest)
      ? new DriverError('platform_unavailable', why, { retryable: true })
      : new DriverError('outcome_unknown', why, { unknown: crmRequest.several ? 'ended' : 'done' })
  }
}
