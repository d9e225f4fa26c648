import type { Readable, Writable } from 'node:stream'
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio'
import type { Session } from './backend.ts'
import { lineTransport } from './line-transport.ts'
import { createServer } from './server.ts'

/** MCP over a pair of streams, for one client, until it disconnects or `stop` resolves. `onError` receives errors outside of any answer. */
export async function serveStdio(session: Session, input: Readable, output: Writable, stop: Promise<void>, onError: (error: Error) => void): Promise<void> {
  const transport = lineTransport(input, output)
  const { close } = serveTransport(() => createServer(session, transport.argumentsOf), { transport, onerror: onError })
  await Promise.race([transport.closed, stop.then(transport.finish)])
  await close()
}
