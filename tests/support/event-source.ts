import { EventSource } from 'eventsource'
import { onTestFinished } from 'vitest'
import { EVENT_TYPES, type Event } from '../../src/contract/records/event.ts'

export interface Followed {
  /** The events received so far, in order. */
  readonly events: readonly Event[]
  /** The problems that ended a stream. */
  readonly problems: readonly unknown[]
  /** How often a connection was opened. */
  readonly opened: () => number
  /** Whether the client has given up. */
  readonly closed: () => boolean
  /** The last event id, sent on reconnecting. */
  readonly place: () => string | null
  close(): void
}

/** A client of server-sent events from npm that authenticates with a key and reconnects by itself. */
export async function follow(url: string, key: string, query = ''): Promise<Followed> {
  const events: Event[] = []
  const problems: unknown[] = []
  let opened = 0
  let place: string | null = null
  const source = new EventSource(`${url}/v1/events${query}`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } }),
  })
  onTestFinished(() => source.close())
  for (const { type } of EVENT_TYPES) {
    source.addEventListener(type, ({ data, lastEventId }) => {
      const event = JSON.parse(data as string) as Event
      if (event.EventID !== lastEventId || event.Type !== type) throw new Error(`The event does not fit its id and type: ${lastEventId} ${type} ${data}`)
      events.push(event)
      place = lastEventId
    })
  }
  source.addEventListener('cursor', ({ lastEventId }) => {
    place = lastEventId
  })
  source.addEventListener('error', (event) => {
    if ('data' in event) problems.push(JSON.parse(event.data as string))
  })
  await new Promise<void>((resolve, reject) => {
    source.addEventListener('open', () => {
      opened++
      resolve()
    })
    source.addEventListener('error', (event) => source.readyState === EventSource.CLOSED && reject(new Error(`Refused: ${event.code} ${event.message}`)))
  })
  return { events, problems, opened: () => opened, closed: () => source.readyState === EventSource.CLOSED, place: () => place, close: () => source.close() }
}
