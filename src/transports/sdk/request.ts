import { CrmError } from '../../contract/errors.ts'
import { notify } from './hooks.ts'
import { noAnswer } from './http-errors.ts'
import type { MoreHeaders, Sent, ServiceOptions } from './options.ts'
import { TimeoutError, withTimeout } from './timeouts.ts'

/** Header lines by name; what is undefined or false is left out. */
type Lines = { readonly [name: string]: string | false | undefined }

export interface RequestInput<T> {
  readonly operation: string
  readonly attempt: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Lines
  readonly body?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Whether the outcome is unknown where no answer comes. */
  readonly writes: boolean
  read(response: Response): Promise<T>
}

/** Sends one request. Throws CrmError when it is refused or not answered, and the reason of the signal when that aborts. */
export type Request = <T>(input: RequestInput<T>) => Promise<T>

export function createRequest({ baseUrl, key, headers: always, fetch: given, onRequest, onResponse }: ServiceOptions): Request {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')
  const where = `The service at ${new URL(base).origin}`
  const send = given ?? ((url: string, init: RequestInit) => fetch(url, init))

  return async ({ operation, attempt, method, path, headers: own, body, timeoutMs, signal, writes, read }) => {
    const url = base + path
    const headers = new Headers()
    put(headers, always)
    put(headers, own)
    const sent: Sent = { operation, attempt, method, url, headers: Object.fromEntries(headers) }

    let started: number | undefined
    let response: Response | undefined
    let error: unknown
    try {
      return await withTimeout(timeoutMs, signal, async (signal) => {
        put(headers, (await onRequest?.(sent)) as MoreHeaders | undefined)
        // Put last, so that a hook cannot replace the client's own headers.
        put(headers, { ...own, authorization: `Bearer ${key}` })
        signal.throwIfAborted()
        started = performance.now()
        response = await send(url, { method, headers, signal, redirect: 'manual', ...(body && { body }) })
        return read(response)
      })
    } catch (thrown) {
      if (signal?.aborted) error = signal.reason
      else if (thrown instanceof CrmError) error = thrown
      else if (started !== undefined) error = noAnswer(where, writes, thrown, 'Is it running at this address?')
      else error = thrown instanceof TimeoutError ? noAnswer('onRequest', false, thrown) : thrown
      throw error
    } finally {
      const received = { status: response?.status, requestId: response?.headers.get('x-request-id') ?? undefined, error }
      if (started !== undefined) notify(onResponse, { ...sent, ...received, ms: performance.now() - started })
    }
  }
}

function put(headers: Headers, lines: Lines = {}): void {
  for (const [name, value] of Object.entries(lines)) {
    try {
      if (value !== undefined && value !== false) headers.set(name, value)
    } catch (cause) {
      const message = `The header ${name} cannot be sent.`
      const expected = 'characters that a header may hold'
      throw new CrmError('invalid_input', message, { errors: [{ field: name, code: 'form', message, expected }], cause })
    }
  }
}
