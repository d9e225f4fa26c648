import type { FastifyInstance } from 'fastify'

const IDLE_CHECK_MS = 50

/** Closes a server: what is under way is finished, idle connections end at once, and what is left after `ms` is cut off. */
export async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), ms)
  // A stream that has begun cannot announce that its connection ends with it.
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(sweep)
  }
}
