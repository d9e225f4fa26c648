import type { RequestId } from '@modelcontextprotocol/server'
import type { ClientSessions } from '../../core/journal/client-sessions.ts'
import type { Cancellation } from './backend.ts'
import type { Members } from './truncate.ts'

/** How often the store is polled while a call is under way: its cancellation may have reached another process. */
const POLL_MS = 500

/** Cancelled requests of a session that are kept; a call that is under way is among the last. */
const KEPT = 50

/** Records what a client of 2025 cancels, which it does in a request of its own. */
export async function recordCancellations(sessions: ClientSessions, session: string, messages: readonly unknown[]): Promise<void> {
  const ids = messages.flatMap((message) => {
    const { method, params } = Object(message) as Members
    const { requestId } = Object(params) as Members
    return method === 'notifications/cancelled' && isId(requestId) ? [requestId] : []
  })
  if (ids.length > 0) await sessions.update(session, (stored) => ({ ...stored, cancelled: [...stored.cancelled, ...ids].slice(-KEPT) }))
}

const isId = (value: unknown): value is RequestId => typeof value === 'number' || (typeof value === 'string' && value.length <= 100)

export function cancellationIn(sessions: ClientSessions, session: string, id: RequestId): Cancellation {
  const cancelled = new AbortController()
  let timer = setTimeout(poll, POLL_MS)
  let ended = false

  async function look(): Promise<void> {
    const stored = await sessions.read(session)
    if (stored?.cancelled.includes(id)) cancelled.abort()
  }

  async function poll(): Promise<void> {
    // A store that does not answer fails the call itself.
    await look().catch(() => {})
    if (!ended && !cancelled.signal.aborted) timer = setTimeout(poll, POLL_MS)
  }

  return {
    signal: cancelled.signal,
    look,
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
