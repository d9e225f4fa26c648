import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Session } from './backend.ts'
import { lineTransport } from './lines.ts'
import { createServer } from './server.ts'

/** Serves one client over a pair of streams until it goes, or until told to stop. What goes wrong aside of any answer is told to `trouble`. */
export async function serveClient(session: Session, input: Readable, output: Writable, told: Promise<void>, trouble: (error: Error) => void): Promise<void> {
  const transport = lineTransport(input, output)
  const { close } = serveStdio(() => createServer(session, transport.argumentsOf), { transport, onerror: trouble })
  await Promise.race([transport.closed, told.then(transport.finish)])
  await close()
}
