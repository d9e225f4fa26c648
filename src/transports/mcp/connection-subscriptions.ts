import { type JSONRPCMessage, ProtocolErrorCode, type RequestId, type Transport } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Session, Subscriptions } from './backend.ts'
import { cursorBefore } from './events-resource.ts'
import { announcements, subscribingRefusal, updateOf } from './subscriptions.ts'
import type { Members } from './truncate.ts'

type Update = ReturnType<typeof updateOf>

export interface ConnectionSubscriptions extends Subscriptions {
  /** Notes what the client listens to, before the library, which answers these requests by itself, gets them. */
  watch(transport: Transport): void
  end(): void
}

const tooManyStreams = () => new CrmError('too_large', `This client listens ${LIMITS.subscriptions} times, the most it may.`)

const refusalOf = (message: JSONRPCMessage, error: Error): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id: (message as Members).id as RequestId,
  error: { code: ProtocolErrorCode.InvalidParams, message: error.message },
})

/** The subscriptions of a client that stays connected. Events are followed while it has any. */
export function connectionSubscriptions(session: Session, onError: (error: Error) => void, send: (update: Update) => Promise<void>): ConnectionSubscriptions {
  /** Those of 2025, which are made one by one. */
  let subscribed: readonly string[] = []
  /** Those of the current revision, by the id of the request that made them. */
  const listening = new Map<unknown, readonly string[]>()
  let following: { readonly ready: Promise<void>; readonly stopping: AbortController } | undefined

  const isSubscribed = (uri: string) => subscribed.includes(uri) || [...listening.values()].some((uris) => uris.includes(uri))

  function end(): void {
    following?.stopping.abort()
    following = undefined
  }

  /** Resolves once no event from now on is missed. */
  async function follow(): Promise<void> {
    if (subscribed.length === 0 && listening.size === 0) return end()
    if (!following) {
      const stopping = new AbortController()
      following = { stopping, ready: start(stopping.signal) }
    }
    await following.ready
  }

  async function start(signal: AbortSignal): Promise<void> {
    // The next subscription tries again.
    const failed = () => {
      if (following?.stopping.signal === signal) following = undefined
    }
    try {
      const refusal = await subscribingRefusal(session)
      if (refusal) throw refusal
      void sendAll(await cursorBefore(session, 0), signal)
        .catch(onError)
        .finally(failed)
    } catch (error) {
      failed()
      throw error
    }
  }

  async function sendAll(after: string, signal: AbortSignal): Promise<void> {
    for await (const announced of announcements(session, after, signal))
      for (const uri of announced.uris) if (isSubscribed(uri)) await send(updateOf(uri, announced))
  }

  async function note(message: JSONRPCMessage): Promise<void> {
    const { method, id, params } = message as Members
    const { requestId, notifications } = Object(params) as Members
    if (method === 'subscriptions/listen') {
      if (listening.size >= LIMITS.subscriptions) throw tooManyStreams()
      listening.set(id, ((Object(notifications) as Members).resourceSubscriptions ?? []) as readonly string[])
    } else if (method !== 'notifications/cancelled' || !listening.delete(requestId)) return
    try {
      await follow()
    } catch (error) {
      listening.delete(id)
      throw error
    }
  }

  return {
    async change(change) {
      subscribed = change(subscribed)
      await follow()
    },
    watch(transport) {
      const { onmessage } = transport
      let turn = Promise.resolve()
      transport.onmessage = (message, extra) => {
        turn = turn
          .then(() => note(message))
          .then(() => onmessage?.(message, extra))
          .catch((error: Error) => transport.send(refusalOf(message, error)))
          .catch(onError)
      }
    },
    end,
  }
}
