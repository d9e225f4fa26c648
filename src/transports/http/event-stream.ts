import type { ServerResponse } from 'node:http'
import { problemOf } from '../../contract/errors.ts'
import { type EventPage, readEvents } from '../../core/journal/events.ts'
import type { Caller } from '../../core/service.ts'
import { headerLines } from './answer.ts'
import type { Context } from './context.ts'
import { asCrmError } from './refusal.ts'
import { drained } from './stream.ts'

export const SSE_TYPE = 'text/event-stream'

/** How often a quiet stream says that it is still there, so that nothing on the way takes it for dead. */
const HEARTBEAT_MS = 15_000

/** How long a reader should wait before it comes back. */
const RETRY_MS = 2000

/** Events read at a time, and so the most that is held for a reader who does not keep up. */
const PAGE = 100

interface Reading {
  readonly requestId: string
  readonly first: EventPage
  /** Where the reader knows to come back to; undefined where it was not told yet. */
  readonly place: string | undefined
  /** Who the reader is by now, or a refusal. */
  readonly still: () => Caller | Promise<Caller>
}

/** Sends events as they happen, until the reader goes, the key ends or the service stops. */
export async function respondEvents({ service, live }: Context, raw: ServerResponse, { requestId, first, place, still }: Reading): Promise<void> {
  raw.writeHead(200, [...headerLines(requestId, SSE_TYPE), 'X-Accel-Buffering', 'no'])
  raw.write(`retry: ${RETRY_MS}\n\n`)
  let told = place
  let quietSince = performance.now()
  let wake = () => {}
  let woken = true
  let over = false
  const stir = () => {
    woken = true
    wake()
  }
  const end = () => {
    over = true
    wake()
    // Nobody waits for a reader who is behind: it comes back for the rest.
    if (raw.writableNeedDrain) raw.destroy()
  }
  const unwatch = service.store.watch(stir)
  live.add(end)
  raw.on('close', end)
  try {
    for (let page = first; !over; ) {
      let text = ''
      for (const event of page.Events) {
        text += `id: ${event.EventID}\nevent: ${event.Type}\ndata: ${JSON.stringify(event)}\n\n`
        told = event.EventID
      }
      // A reader who knows no place to come back to would miss what happens while it is away. Some clients take no notice of an id without data.
      if (told === undefined || (text === '' && patience() <= 0)) {
        text += told === page.NextCursor ? ':\n\n' : `id: ${page.NextCursor}\nevent: cursor\ndata:\n\n`
        told = page.NextCursor
      }
      if (text !== '') {
        if (!raw.write(text)) await drained(raw)
        quietSince = performance.now()
      }
      if (page.Events.length === 0 && !woken && !over) await sleep()
      woken = false
      if (over) break
      page = await readEvents(service, await still(), Number(page.NextCursor), PAGE)
    }
  } catch (error) {
    if (!raw.destroyed) raw.write(`event: error\ndata: ${JSON.stringify(problemOf(asCrmError(error), requestId))}\n\n`)
  } finally {
    unwatch()
    live.delete(end)
    if (!raw.destroyed) raw.end()
  }

  /** For how long nothing need be said. */
  function patience(): number {
    return quietSince + HEARTBEAT_MS - performance.now()
  }

  /** Until something happens, or it is time to say that nothing has. */
  function sleep(): Promise<void> {
    return new Promise((resolve) => {
      const beat = setTimeout(done, Math.max(0, Math.ceil(patience())))
      wake = done
      function done() {
        clearTimeout(beat)
        wake = () => {}
        resolve()
      }
    })
  }
}
