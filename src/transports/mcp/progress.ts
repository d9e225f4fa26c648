import type { ServerContext } from '@modelcontextprotocol/server'

/** How far a call is, for a client that has asked for it with a progressToken. Each number is larger than the one before. */
export interface Progress {
  /** So many calls of a batch have ended. */
  calls(done: number, total: number): void
  /** Reports every few seconds that work is under way: how many seconds the call has taken, or, of a batch, which share of the longest time. */
  during<T>(what: string, work: () => Promise<T>, longestMs?: number): Promise<T>
}

const EVERY_MS = 5000

/** Reports in a batch, so that a long one does not have a message for each call. */
const REPORTS = 100

/** `calls` is the number of calls in a batch; undefined for a single one. */
export function progressOf({ mcpReq }: ServerContext, calls: number | undefined): Progress {
  const progressToken = mcpReq._meta?.progressToken
  const began = performance.now()
  let last = 0

  function report(progress: number, message?: string): void {
    if (progressToken === undefined || progress <= last) return
    last = progress
    const params = { progressToken, progress, ...(calls !== undefined && { total: calls }), ...(message !== undefined && { message }) }
    // A client that has gone needs none.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }

  return {
    calls(done, total) {
      if (done === total || done % Math.ceil(total / REPORTS) === 0) report(done)
    },
    async during(what, work, longestMs) {
      const started = performance.now()
      const tick = () => {
        const now = performance.now()
        if (calls === undefined) report(Math.round((now - began) / 1000), `${what}, for ${Math.round((now - started) / 1000)} seconds`)
        else if (longestMs !== undefined) report((now - started) / longestMs, what)
      }
      const timer = progressToken === undefined ? undefined : setInterval(tick, EVERY_MS)
      try {
        return await work()
      } finally {
        clearInterval(timer)
      }
    },
  }
}
