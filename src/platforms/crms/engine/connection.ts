import { Agent, request } from 'undici'
import type { Retry } from '../../platform.ts'
import { DriverError, worthTrying } from './errors.ts'
import type { Session, Signed } from './session.ts'

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
  /** Where it is, unless the session says otherwise. */
  readonly origin: string
  readonly session: Session
  /** The headers that show who we are. */
  readonly authorize: (signed: Signed, request: CrmRequest) => { readonly [name: string]: string }
  /** Whether an answer says that the session is of no use any more. */
  readonly isExpired: (answer: CrmAnswer) => boolean
  /** Whether an answer that tells of a failure is the CRM's own, and not that of something in front of it. */
  readonly isOwn: (answer: CrmAnswer) => boolean
  /** What an answer with a status of 400 or more means. */
  readonly refusal: (answer: CrmAnswer, request: CrmRequest) => DriverError
  /** Hears every answer, so as to learn how much of the quota is left. */
  readonly heard?: (answer: CrmAnswer) => void
  /** Throws where too little of the quota is left to ask anything. */
  readonly mayAsk?: () => void
  readonly patience: Retry
  readonly timeoutMs: number
}

/** Requests to one account of a CRM. */
export class Connection {
  private readonly options: ConnectionOptions
  private readonly agent: Agent
  /** How far the CRM's clock is ahead of ours. */
  private ahead = 0

  constructor(options: ConnectionOptions) {
    this.options = options
    this.agent = new Agent({ connections: 32, keepAliveTimeout: 30_000, headersTimeout: options.timeoutMs, bodyTimeout: options.timeoutMs })
  }

  /** An answer below 400. Reads are repeated while they fail in passing; whatever writes only where it cannot have happened. */
  ask(asked: CrmRequest): Promise<CrmAnswer> {
    return this.read(asked, (answer) => answer)
  }

  /** The same, as JSON; undefined where the answer says that it has no content. */
  json<T>(asked: CrmRequest): Promise<T> {
    return this.read(asked, (answer) => parsed<T>(answer, asked, this.options.name))
  }

  /** The same, as `understand` reads it. An answer that nobody can read is a failure like any other. */
  async read<T>(asked: CrmRequest, understand: (answer: CrmAnswer) => T): Promise<T> {
    return this.options.patience(
      async () => understand(await this.once(asked)),
      (error) => (error instanceof DriverError ? { again: error.again, afterMs: error.retryAfterMs } : { again: false }),
    )
  }

  /** A request that is answered with nothing at all. */
  async nothing(asked: CrmRequest): Promise<void> {
    const { status } = await this.ask(asked)
    if (status !== 204)
      throw new DriverError('outcome_unknown', `${this.options.name} answered with status ${status}, which is none of its answers to this.`, {
        unknown: 'open',
      })
  }

  /** The present moment by the CRM's clock, to the second. */
  now(): number {
    return Date.now() + this.ahead
  }

  async close(): Promise<void> {
    await this.agent.close()
  }

  private async once(asked: CrmRequest): Promise<CrmAnswer> {
    const { session, isExpired, heard, mayAsk } = this.options
    mayAsk?.()
    const signed = await session.get()
    let answer = await this.send(asked, signed)
    heard?.(answer)
    // What is refused for its session has not been carried out, so it may be sent once more.
    if (isExpired(answer)) {
      answer = await this.send(asked, await session.after(signed))
      heard?.(answer)
    }
    if (answer.status >= 300) throw this.refused(answer, asked)
    return answer
  }

  private refused(answer: CrmAnswer, asked: CrmRequest): DriverError {
    const { name, refusal, isOwn } = this.options
    const { status } = answer
    if (status < 400) {
      const why = `${name} is not what answers at its address: it sends us elsewhere, with status ${status}.`
      return new DriverError('platform_unavailable', why, { hint: 'Check the address of the platform.' })
    }
    if ((status !== 408 && status < 500) || isOwn(answer)) {
      const known = refusal(answer, asked)
      // Whoever is refused once more may be told why.
      return status < 500 && isGarbled(answer) ? worthTrying(known, true) : known
    }
    // What is in front of a CRM gives up while the CRM may still be at it.
    const why = `${name} did not answer; what is in front of it did, with status ${status}.`
    if (!reads(asked)) return new DriverError('outcome_unknown', why, { unknown: 'open' })
    const afterMs = retryAfterMs(answer)
    return new DriverError('platform_unavailable', why, { again: true, ...(afterMs !== undefined && { retryAfterMs: afterMs }) })
  }

  private async send(asked: CrmRequest, signed: Signed): Promise<CrmAnswer> {
    const { authorize, origin, timeoutMs } = this.options
    const { method, path, headers, body } = asked
    const url = /^https?:/.test(path) ? path : `${signed.origin ?? origin}${path}`
    try {
      const answer = await request(url, {
        method,
        dispatcher: this.agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...authorize(signed, asked),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const heard = { status: answer.statusCode, headers: flat(answer.headers), text: await answer.body.text() }
      const date = Date.parse(heard.headers.date ?? '')
      if (!Number.isNaN(date)) this.ahead = date - Math.floor(Date.now() / 1000) * 1000
      return heard
    } catch (error) {
      throw this.lost(error, asked)
    }
  }

  /** A request that nobody answered. Unless no connection came about, it may have been carried out all the same. */
  private lost(error: unknown, asked: CrmRequest): DriverError {
    const { name, timeoutMs } = this.options
    const { code = '', message, name: kind } = error as NodeJS.ErrnoException
    const never = NEVER_SENT.has(code)
    const late = kind === 'TimeoutError' || code.includes('TIMEOUT')
    const why = never
      ? `${name} cannot be reached: ${message}`
      : late
        ? `${name} did not answer within ${timeoutMs / 1000} s.`
        : `The connection to ${name} was lost: ${message}`
    if (never || reads(asked)) return new DriverError('platform_unavailable', why, { again: true, cause: error })
    return new DriverError('outcome_unknown', why, { unknown: 'open', cause: error })
  }
}

const NEVER_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

export const reads = ({ method, reads = method === 'GET' }: CrmRequest): boolean => reads

/** When an answer says that it is worth asking again: in seconds, or as a moment. */
export function retryAfterMs({ headers }: CrmAnswer): number | undefined {
  const said = headers['retry-after']
  if (said === undefined || said === '') return undefined
  const ms = Number.isNaN(Number(said)) ? Date.parse(said) - Date.now() : Number(said) * 1000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Whether an answer says that it is JSON, and is not. Pages of what is in front of a CRM do not say so. */
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

function parsed<T>(answer: CrmAnswer, asked: CrmRequest, name: string): T {
  // Whoever asks may be told nothing; whoever writes is told so by the status.
  if (answer.status === 204 || (answer.text === '' && reads(asked))) return undefined as T
  try {
    return JSON.parse(answer.text) as T
  } catch (error) {
    const why = `${name} answered with something that is not JSON.`
    // A write that was answered was carried out, even if nobody can read the answer.
    throw reads(asked)
      ? new DriverError('platform_unavailable', why, { again: true, cause: error })
      : new DriverError('outcome_unknown', why, { unknown: asked.several ? 'ended' : 'done', cause: error })
  }
}
