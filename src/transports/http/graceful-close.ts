import type { FastifyInstance } from 'fastify'

const IDLE_CHECK_MS = 50

/** Closes a server: open requests are finished, idle connections end at once, and connections left after `ms` are cut. */
export async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), ms)
  // The headers of an open stream are sent already, so that it cannot announce `Connection: close`.
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(sweep)
  }
}
