import { type CreateMcpHandlerOptions, createMcpHandler, type McpServerFactory, type ServerEvent } from '@modelcontextprotocol/server'
import type { Session, Subscriptions } from './backend.ts'
import { cursorBefore } from './events-resource.ts'
import { announcements, updateOf } from './subscriptions.ts'

/** A quiet stream sends a comment this often, so that proxies do not close it as idle. */
const HEARTBEAT_MS = 15_000

/** What is stored of a session expires; an open stream keeps it. */
const KEEP_MS = 15 * 60_000

/** `subscriptions/listen`: the stream of a client of the current revision, which names in one request what it wants to be told of. */
export async function listen(factory: McpServerFactory, onError: (error: Error) => void, request: Request, body: unknown, session: Session): Promise<Response> {
  // Before the client is answered, so that it misses nothing from then on.
  const after = await cursorBefore(session, 0)
  // Who listens is known to the library alone, which filters by address. Each stream has a handler of its own, since each caller sees other events.
  const bus: CreateMcpHandlerOptions['bus'] = {
    publish() {},
    subscribe(listener) {
      const stopping = new AbortController()
      void send(listener, stopping.signal)
        .catch(onError)
        .finally(() => handler.close())
      return () => stopping.abort()
    },
  }
  const handler = createMcpHandler(factory, { onerror: onError, bus })
  return handler.fetch(request, { parsedBody: body })

  async function send(listener: (event: ServerEvent) => void, signal: AbortSignal): Promise<void> {
    for await (const announced of announcements(session, after, signal)) {
      for (const uri of announced.uris) listener({ kind: 'resource_updated', uri, params: updateOf(uri, announced) })
      await session.backend.drained?.()
    }
  }
}

/** The subscriptions of a client of 2025, which are in the store: any process may answer its requests, and another its stream. */
export function storedSubscriptions(session: Session, id: string): Subscriptions {
  return {
    async change(change) {
      const after = await cursorBefore(session, 0)
      await session.backend.sessions?.update(id, (stored) => ({
        ...stored,
        after: stored.subscribed.length > 0 ? stored.after : after,
        subscribed: change(stored.subscribed),
      }))
    },
  }
}

/** Forgets what a client of 2025 has subscribed to, as it asks for when it leaves; further requests of the session are refused. */
export async function endSession({ backend: { sessions } }: Session, id: string): Promise<Response> {
  await sessions?.update(id, () => ({ subscribed: [], cancelled: [], ended: true }))
  return new Response(null, { status: 204 })
}

/** The stream of a client of 2025: what it has subscribed to meanwhile, from the first subscription or the last event that it has got. */
export async function sessionStream(session: Session, id: string, { headers, signal }: Request, onError: (error: Error) => void): Promise<Response> {
  const { sessions } = session.backend
  const keep = () => sessions?.keep(id)
  await keep()
  const after = headers.get('last-event-id') ?? (await sessions?.read(id))?.after ?? (await cursorBefore(session, 0))
  const encoder = new TextEncoder()
  const stopping = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (frame: string) => {
        if (!stopping.signal.aborted) controller.enqueue(encoder.encode(frame))
      }
      const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS)
      const keeping = setInterval(() => void keep()?.catch(onError), KEEP_MS)
      write(':\n\n')
      void follow(write)
        .catch(onError)
        .finally(() => {
          clearInterval(heartbeat)
          clearInterval(keeping)
          if (!stopping.signal.aborted) controller.close()
        })
    },
    cancel: () => stopping.abort(),
  })
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })

  async function follow(write: (frame: string) => void): Promise<void> {
    for await (const announced of announcements(session, after, AbortSignal.any([signal, stopping.signal]))) {
      const { subscribed = [] } = (await sessions?.read(id)) ?? {}
      const uris = announced.uris.filter((uri) => subscribed.includes(uri))
      for (const [i, uri] of uris.entries()) {
        const notification = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: updateOf(uri, announced) }
        // With the last of them all of the event has been sent, and a stream that is opened anew goes on after it.
        const position = i === uris.length - 1 ? `id: ${announced.event.EventID}\n` : ''
        write(`${position}event: message\ndata: ${JSON.stringify(notification)}\n\n`)
      }
      await session.backend.drained?.()
    }
  }
}
