import type { ServerResponse } from 'node:http'
import { problemOf } from '../../contract/errors.ts'
import { type EventPage, readEvents } from '../../core/journal/events.ts'
import type { Caller } from '../../core/service.ts'
import type { Context } from './context.ts'
import { asCrmError } from './errors.ts'
import { drained } from './ndjson.ts'
import { commonHeaders } from './response.ts'

export const SSE_TYPE = 'text/event-stream'

/** A quiet stream sends a heartbeat this often, so that proxies do not close it as idle. */
const HEARTBEAT_MS = 15_000

/** The delay after which a client should reconnect. */
const RETRY_MS = 2000

/** Events read at a time, and so the most that is buffered for a slow reader. */
const PAGE = 100

interface Reading {
  readonly requestId: string
  readonly first: EventPage
  /** The cursor that the reader can resume from; undefined where it has none yet. */
  readonly resumeFrom: string | undefined
  /** The caller as the key allows at present; throws once the key is revoked or expired. */
  readonly reauthenticate: () => Promise<Caller>
}

/** Sends events as they happen, until the reader disconnects, the key ends or the service stops. */
export async function respondEvents(
  { service, liveStreams }: Context,
  raw: ServerResponse,
  { requestId, first, resumeFrom, reauthenticate }: Reading,
): Promise<void> {
  raw.writeHead(200, [...commonHeaders(requestId, SSE_TYPE), 'X-Accel-Buffering', 'no'])
  raw.write(`retry: ${RETRY_MS}\n\n`)
  let cursor = resumeFrom
  let quietSince = performance.now()
  let wake = () => {}
  let changed = true
  let over = false
  const onChange = () => {
    changed = true
    wake()
  }
  const end = () => {
    over = true
    wake()
    // A reader that is behind is cut off rather than waited for: it resumes from its last event.
    if (raw.writableNeedDrain) raw.destroy()
  }
  const unwatch = service.store.watch(onChange)
  liveStreams.add(end)
  raw.on('close', end)
  try {
    for (let page = first; !over; ) {
      let text = ''
      for (const event of page.Events) {
        text += `id: ${event.EventID}\nevent: ${event.Type}\ndata: ${JSON.stringify(event)}\n\n`
        cursor = event.EventID
      }
      // Without a cursor a reader that reconnects would miss what happened meanwhile. The cursor is an event of its own, because some
      // clients ignore an id without data.
      if (cursor === undefined || (text === '' && untilHeartbeat() <= 0)) {
        text += cursor === page.NextCursor ? ':\n\n' : `id: ${page.NextCursor}\nevent: cursor\ndata:\n\n`
        cursor = page.NextCursor
      }
      if (text !== '') {
        if (!raw.write(text)) await drained(raw)
        quietSince = performance.now()
      }
      if (page.Events.length === 0 && !changed && !over) await sleep()
      changed = false
      if (over) break
      page = await readEvents(service, await reauthenticate(), Number(page.NextCursor), PAGE)
    }
  } catch (error) {
    if (!raw.destroyed) raw.write(`event: error\ndata: ${JSON.stringify(problemOf(asCrmError(error), requestId))}\n\n`)
  } finally {
    unwatch()
    liveStreams.delete(end)
    if (!raw.destroyed) raw.end()
  }

  function untilHeartbeat(): number {
    return quietSince + HEARTBEAT_MS - performance.now()
  }

  /** Until something has changed, or a heartbeat is due. */
  function sleep(): Promise<void> {
    return new Promise((resolve) => {
      const heartbeat = setTimeout(done, Math.max(0, Math.ceil(untilHeartbeat())))
      wake = done
      function done() {
        clearTimeout(heartbeat)
        wake = () => {}
        resolve()
      }
    })
  }
}
