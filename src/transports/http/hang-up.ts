import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { HangUp } from '../../core/service.ts'

/** Whether the caller of a request has closed the connection before the answer was sent. */
export function hangUpOf(raw: ServerResponse): HangUp {
  let controller: AbortController | undefined
  return {
    get happened() {
      return raw.destroyed
    },
    get signal() {
      if (!controller) {
        const made = new AbortController()
        controller = made
        // All calls of a batch that run at the same time watch it.
        setMaxListeners(0, made.signal)
        if (raw.destroyed) made.abort()
        else raw.once('close', () => made.abort())
      }
      return controller.signal
    },
  }
}
