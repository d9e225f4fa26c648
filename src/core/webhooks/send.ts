import type { LookupAddress } from 'node:dns'
import { setMaxListeners } from 'node:events'
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { type Answer, readAnswer } from './answer.ts'
import { addressesOf, formFault, privateFault } from './targets.ts'

export interface Delivery {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For everything together: resolving the name, connecting, TLS, the answer's headers and body. */
  readonly timeoutMs: number
  /** Whether the target may be on a private network. */
  readonly allowPrivate: boolean
  /** Ends the delivery early. */
  readonly signal?: AbortSignal
}

export interface Delivered {
  readonly ok: boolean
  readonly status: number | null
  /** What went wrong, as a sentence that holds nothing of the answer's text. */
  readonly error: string | null
  /** The time until the answer, or until the delivery was given up. */
  readonly ms: number
  /** The Retry-After of a 429 or 503, in seconds. */
  readonly retryAfter: number | null
  /** What came back, for the delivery log; null where nothing did. */
  readonly answer: Answer | null
}

type Outcome = Pick<Delivered, 'status' | 'ms' | 'retryAfter' | 'answer'>

const agent = new Agent({ keepAlive: false })
const tlsAgent = new TlsAgent({ keepAlive: false, maxCachedSessions: 0 })

/** A reason that is already a sentence. */
class Failure extends Error {}

/**
 * Posts JSON to a target and never rejects. The status decides, but the promise is settled only once the connection is closed.
 * It connects to the addresses that were checked, so that a name cannot resolve to a private address after the check (DNS rebinding).
 */
export async function send(delivery: Delivery): Promise<Delivered> {
  const { url, timeoutMs, allowPrivate, signal } = delivery
  const started = performance.now()
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new Failure(`The target did not answer within ${timeoutMs / 1000} s.`)), timeoutMs)
  const stop = () => abort.abort(new Failure('The delivery was stopped.'))
  // One signal may stop many deliveries.
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    if (signal?.aborted) stop()
    refuse(formFault(url))
    const target = new URL(url)
    const addresses = await resolve(target, abort.signal)
    if (!allowPrivate) refuse(privateFault(addresses))
    const outcome = await post(delivery, target, addresses, started, abort.signal)
    const error = statusError(outcome.status)
    return { ok: error === null, error, ...outcome }
  } catch (error) {
    const reason: unknown = abort.signal.aborted ? abort.signal.reason : error
    return { ok: false, status: null, error: sentence(reason), ms: since(started), retryAfter: null, answer: null }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new Failure(fault)
}

function resolve(target: URL, cut: AbortSignal): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    cut.throwIfAborted()
    cut.addEventListener('abort', fail, { once: true })
    addressesOf(target).then(done, () => fail(new Failure(`The name ${target.hostname} could not be resolved.`)))
  })
}

function post({ headers, body, timeoutMs }: Delivery, target: URL, addresses: LookupAddress[], started: number, signal: AbortSignal): Promise<Outcome> {
  const secure = target.protocol === 'https:'
  return new Promise((done, fail) => {
    let read: (() => Outcome) | undefined
    let failure: Error | undefined
    const options = {
      method: 'POST',
      agent: secure ? tlsAgent : agent,
      headers: sentHeaders({ headers, body }),
      signal,
      // All addresses are tried in turn; Node's default of 250 ms for each is too short for distant targets.
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / (addresses.length + 1)),
      // Deferred, because an error of a synchronous answer would be emitted before the request has its listener.
      lookup: (_name: string, _options: object, answered: (error: null, addresses: LookupAddress[]) => void) => process.nextTick(answered, null, addresses),
    }
    const request = (secure ? requestHttps : requestHttp)(target, options)
    request.on('response', (response) => {
      const outcome = { status: response.statusCode ?? null, ms: since(started), retryAfter: retryAfter(response) }
      const answer = readAnswer(response)
      read = () => ({ ...outcome, answer: answer() })
    })
    request.on('error', (error) => {
      failure ??= error
    })
    request.on('close', () => (read ? done(read()) : fail(failure ?? new Failure(CLOSED))))
    request.end(body)
  })
}

/** All headers of a delivery. */
export const sentHeaders = ({ headers, body }: Pick<Delivery, 'headers' | 'body'>): Record<string, string> => ({
  ...headers,
  'Content-Type': 'application/json',
  'User-Agent': 'crm-connector',
  'Content-Length': String(Buffer.byteLength(body)),
})

function retryAfter({ statusCode, headers }: IncomingMessage): number | null {
  const text = headers['retry-after']
  if (text === undefined || (statusCode !== 429 && statusCode !== 503)) return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const seconds = text.endsWith(' GMT') ? Math.ceil((Date.parse(text) - Date.now()) / 1000) : Number.NaN
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

function statusError(status: number | null): string | null {
  if (status !== null && status >= 200 && status < 300) return null
  if (status !== null && status >= 300 && status < 400) return `The target answered ${status}; redirects are not followed.`
  return `The target answered ${status}.`
}

const CLOSED = 'The connection was closed before the target answered.'
const UNREACHABLE = "The target's address could not be reached."
const SELF_SIGNED = "The target's certificate is self-signed."
const UNTRUSTED = "The target's certificate is not from an authority that is trusted here."

const SENTENCES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  CERT_HAS_EXPIRED: "The target's certificate has expired.",
  CERT_NOT_YET_VALID: "The target's certificate is not valid yet.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The target's certificate is for another name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
}

/** The error as a sentence, by its code alone: messages may quote the target's answer. */
function sentence(reason: unknown): string {
  if (reason instanceof Failure) return reason.message
  const code = String((reason as { code?: unknown } | undefined)?.code ?? 'unknown reason')
  if (code.startsWith('HPE_')) return "The target's answer is not valid HTTP."
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `The TLS handshake failed (${code}).`
  return SENTENCES[code] ?? `The delivery failed (${code}).`
}

function since(started: number): number {
  return Math.round(performance.now() - started)
}
