import type { LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { createInTurn } from '../../helpers/in-turn.ts'
import { addressesOf, privateFault } from '../webhooks/targets.ts'
import { OAuthError } from './errors.ts'

const MAX_BYTES = 32_768
const MAX_URL = 500
const TIMEOUT_MS = 5_000
const FETCHED_MS = 3_600_000
/** Refusals are cached too, so that a client that is asked for over and over is fetched once. */
const REFUSED_MS = 30_000
const MAX_CACHED = 500
/** Fetches at a time, and those that may wait for each requester. */
const FETCHES = 4
const MAX_WAITING = 8

export interface DocumentOptions {
  /** Whether documents on private networks are fetched. */
  readonly allowPrivate: boolean
  /** Certificates that are trusted beside the usual ones. */
  readonly ca?: string | undefined
  readonly timeoutMs?: number | undefined
}

/** The document at the address that a client has for its id; `requester` is the group of callers that fetches are shared out by. */
export type FetchDocument = (url: string, requester: string) => Promise<{ readonly [name: string]: unknown }>

interface Cached {
  readonly until: number
  readonly document: Promise<{ readonly [name: string]: unknown }>
}

/** Whether a client id is the address of a metadata document. */
export const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://')

/**
 * Fetches the metadata documents of clients. The address is chosen by an unknown caller, so that only public hosts are connected to, over TLS,
 * at the addresses that were checked, without redirects, credentials or anything of the request; with limits on bytes, time and number.
 */
export function createDocuments({ allowPrivate, ca, timeoutMs = TIMEOUT_MS }: DocumentOptions): FetchDocument {
  const cache = new Map<string, Cached>()
  const inTurn = createInTurn(FETCHES, 1)
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 0, ...(ca !== undefined && { ca }) })

  async function load(target: URL): Promise<{ readonly [name: string]: unknown }> {
    const signal = AbortSignal.timeout(timeoutMs)
    const addresses = await resolved(target, signal)
    if (!allowPrivate && privateFault(addresses) !== undefined) throw refused('is on a private network')
    const text = await get(target, addresses, agent, signal)
    return parsed(text, target.href)
  }

  return async (url, requester) => {
    const target = checkedId(url)
    const cached = cache.get(url)
    if (cached && cached.until > Date.now()) return cached.document
    if (inTurn.of(requester) >= MAX_WAITING) throw refused('cannot be fetched now; try again in a moment')
    const document = inTurn(requester, () => load(target))
    cache.delete(url)
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '')
    cache.set(url, { until: Date.now() + FETCHED_MS, document })
    document.catch(() => cache.get(url)?.document === document && cache.set(url, { until: Date.now() + REFUSED_MS, document }))
    return document
  }
}

const refused = (why: string) => new OAuthError('invalid_client', `The document that the client_id names ${why}.`)

/** A client id that is an address: with a path, and in the one form that a browser would write. */
function checkedId(url: string): URL {
  if (url.length > MAX_URL || !URL.canParse(url)) throw new OAuthError('invalid_client', `A client_id that is an address has at most ${MAX_URL} characters.`)
  const target = new URL(url)
  if (target.href !== url || target.pathname === '/' || url.includes('#') || target.username !== '' || target.password !== '')
    throw new OAuthError('invalid_client', 'A client_id that is an address has a path, no fragment and no user name, and is written as a browser writes it.')
  return target
}

function resolved(target: URL, signal: AbortSignal): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(refused('did not arrive in time')), { once: true })
    addressesOf(target).then(resolve, () => reject(refused('is at a name that cannot be resolved')))
  })
}

function get(target: URL, addresses: LookupAddress[], agent: Agent, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      signal,
      headers: { Accept: 'application/json', 'User-Agent': 'crm-connector' },
      autoSelectFamily: true,
      // The addresses that were checked: a name cannot resolve to a private one after the check (DNS rebinding).
      lookup: (_name: string, _options: object, answered: (error: null, addresses: LookupAddress[]) => void) => process.nextTick(answered, null, addresses),
    }
    const asked = request(target, options, (response) => void read(response).then(resolve, reject))
    asked.on('error', () => reject(refused(signal.aborted ? 'did not arrive in time' : 'cannot be fetched')))
    asked.end()
  })
}

async function read(response: IncomingMessage): Promise<string> {
  const { statusCode = 0, headers } = response
  const chunks: Buffer[] = []
  let size = 0
  try {
    if (statusCode !== 200) throw refused(statusCode >= 300 && statusCode < 400 ? 'is redirected, which is not followed' : `was answered with ${statusCode}`)
    if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) throw refused('is not application/json')
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BYTES) throw refused(`is larger than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch (error) {
    throw error instanceof OAuthError ? error : refused('did not arrive as a whole')
  } finally {
    response.destroy()
  }
}

function parsed(text: string, url: string): { readonly [name: string]: unknown } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw refused('is not JSON')
  }
  // Otherwise any file on a shared host could speak for another client.
  if (typeof document !== 'object' || document === null || (document as { client_id?: unknown }).client_id !== url)
    throw refused('does not name this client_id itself')
  return document as { readonly [name: string]: unknown }
}
