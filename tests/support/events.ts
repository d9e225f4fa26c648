import { onTestFinished } from 'vitest'
import type { Event } from '../../src/contract/records/event.ts'
import type { RunningService } from './service.ts'

const asking = (service: RunningService, bearer?: string) => ({ authorization: `Bearer ${bearer ?? service.key()}` })

/** All stored events, page by page. */
export async function allEvents(service: RunningService, bearer?: string): Promise<Event[]> {
  const events: Event[] = []
  for (let after = ''; ; ) {
    const response = await fetch(`${service.url}/v1/events?limit=1000${after && `&after=${after}`}`, { headers: asking(service, bearer) })
    if (response.status !== 200) throw new Error(await response.text())
    const { Events, NextCursor } = (await response.json()) as { Events: Event[]; NextCursor: string }
    events.push(...Events)
    if (NextCursor === after || Events.length === 0) return events
    after = NextCursor
  }
}

/** Live events from now on. Each call resolves to the next one. */
export async function liveEvents(service: RunningService): Promise<() => Promise<Event>> {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const response = await fetch(`${service.url}/v1/events`, { headers: { ...asking(service), accept: 'text/event-stream' }, signal: closing.signal })
  if (response.status !== 200 || !response.body) throw new Error(await response.text())
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async () => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) {
        const { value, done } = await reader.read()
        if (done) throw new Error('The stream has ended.')
        text += value
        continue
      }
      const [, data] = /^data: (.*)$/m.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (data !== undefined) return JSON.parse(data) as Event
    }
  }
}
