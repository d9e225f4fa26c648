import type { Received } from 'crm-connector'

/** Whether the event stream is open, by the response to the last attempt. */
export interface Streaming {
  readonly isOpen: () => boolean
  readonly subscribe: (listener: () => void) => () => void
  readonly onResponse: (received: Received) => void
}

export function createStreaming(): Streaming {
  let open = false
  const listeners = new Set<() => void>()
  return {
    isOpen: () => open,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onResponse({ headers, status }) {
      if (headers.accept !== 'text/event-stream') return
      open = status === 200
      for (const listener of listeners) listener()
    },
  }
}
