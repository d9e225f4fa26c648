import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio'
import type { Session } from './backend.ts'
import { connectionSubscriptions } from './connection-subscriptions.ts'
import { lineTransport } from './line-transport.ts'
import { createServer } from './server.ts'

/** MCP over a pair of streams, for one client, until it disconnects or `stop` resolves. `onError` receives errors outside of any answer. */
export async function serveStdio(session: Session, input: Readable, output: Writable, stop: Promise<void>, onError: (error: Error) => void): Promise<void> {
  const transport = lineTransport(input, output)
  let server: Server | undefined
  const subscriptions = connectionSubscriptions(session, onError, async (update) => {
    await server?.sendResourceUpdated(update)
    await transport.drained()
  })
  const { close } = serveTransport(
    () => {
      server = createServer({ ...session, subscriptions }, transport.argumentsOf)
      return server
    },
    { transport, onerror: onError },
  )
  subscriptions.watch(transport)
  await Promise.race([transport.closed, stop.then(transport.finish)])
  subscriptions.end()
  await close()
}
