import type { ServerResponse } from 'node:http'
import { problemOf } from '../../contract/errors.ts'
import type { EventPage } from '../../core/journal/events.ts'
import { type Positions, positionsOf } from '../../core/journal/positions.ts'
import { followTail, type TailPage } from '../../core/journal/tail.ts'
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

/** Events sent at a time; their size is limited too. */
const PAGE = 1000

interface Reading {
  readonly requestId: string
  readonly caller: Caller
  readonly first: EventPage
  /** The cursor that the reader can resume from; undefined where it has none yet. */
  readonly resumeFrom: string | undefined
  /** The caller as the key allows at present; throws once the key is revoked or expired. */
  readonly reauthenticate: () => Caller | Promise<Caller>
}

const messageOf = (id: string, type: string, json: string) => `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`

/** What is sent of a page. */
interface Sent {
  /** Empty where the page has no events. */
  readonly bytes: Buffer
  readonly lastId: string | undefined
  readonly upTo: number
}

const sentFirst = ({ Events, NextCursor }: EventPage, positions: Positions): Sent => ({
  bytes: Buffer.from(Events.map((event) => messageOf(event.EventID, event.Type, JSON.stringify(event))).join('')),
  lastId: Events.at(-1)?.EventID,
  upTo: positions.read(NextCursor) as number,
})

/** Memoised, so that streams that get the same page share its bytes: pages are shared by streams of one caller. */
function sentOf(page: TailPage, positions: Positions): Sent {
  let sent = pages.get(page)
  if (!sent) {
    const { events, upTo } = page
    const bytes = Buffer.from(events.map((event) => messageOf(event.idAt(positions), event.type, event.jsonAt(positions))).join(''))
    sent = { bytes, lastId: events.at(-1)?.idAt(positions), upTo }
    pages.set(page, sent)
  }
  return sent
}

const pages = new WeakMap<TailPage, Sent>()

/** Sends events as they happen, until the reader disconnects, the key ends or the service stops. */
export async function respondEvents(
  { service, liveStreams }: Context,
  raw: ServerResponse,
  { requestId, caller, first, resumeFrom, reauthenticate }: Reading,
): Promise<void> {
  raw.writeHead(200, [...commonHeaders(requestId, SSE_TYPE), 'X-Accel-Buffering', 'no'])
  raw.write(`retry: ${RETRY_MS}\n\n`)
  let positions = positionsOf(service, caller)
  let cursor = resumeFrom
  let quietSince = performance.now()
  let wake = () => {}
  let changed = true
  let over = false
  const follower = followTail(service, caller.workspace, () => {
    changed = true
    wake()
  })
  const end = () => {
    over = true
    follower.end()
    wake()
    // A reader that is behind is cut off rather than waited for: it resumes from its last event.
    if (raw.writableNeedDrain) raw.destroy()
  }
  liveStreams.add(end)
  raw.on('close', end)
  try {
    let page = sentFirst(first, positions)
    while (!over && !raw.destroyed) {
      let { bytes } = page
      cursor = page.lastId ?? cursor
      // Without a cursor a reader that reconnects would miss what happened meanwhile. The cursor is an event of its own, because some
      // clients ignore an id without data.
      if (cursor === undefined || (bytes.length === 0 && untilHeartbeat() <= 0)) {
        const next = positions.cursor(page.upTo)
        bytes = Buffer.concat([bytes, Buffer.from(cursor === next ? ':\n\n' : `id: ${next}\nevent: cursor\ndata:\n\n`)])
        cursor = next
      }
      if (bytes.length > 0) {
        if (!raw.write(bytes)) await drained(raw)
        quietSince = performance.now()
      }
      if (!changed && !over) await sleep()
      changed = false
      if (over) break
      const reader = await reauthenticate()
      positions = positionsOf(service, reader)
      page = sentOf(await follower.read(reader, page.upTo, PAGE), positions)
    }
  } catch (error) {
    if (!raw.destroyed) raw.write(`event: error\ndata: ${JSON.stringify(problemOf(asCrmError(error), requestId))}\n\n`)
  } finally {
    follower.end()
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
