import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Crm } from '../contract/client/client.ts'
import { clientBackend } from '../transports/mcp/client-backend.ts'
import { serveStdio } from '../transports/mcp/stdio.ts'
import type { ToolFilter } from '../transports/mcp/tool-filter.ts'
import { stopSignal } from './stop-signal.ts'

/** Serves MCP to one client over standard input and output, until it disconnects or the process is asked to stop. Everything else is printed on standard error. */
export async function serveMcp(crm: Crm, filter: ToolFilter, version: string): Promise<void> {
  const stop = stopSignal()
  const onError = (error: Error) => void process.stderr.write(`crm: ${error.stack ?? error.message}\n`)
  const backend = clientBackend(crm, onError)
  // A key that is refused fails here, at the start, rather than with the first tool.
  await backend.access()
  if (process.stdin.isTTY) process.stderr.write('crm: Waiting for an MCP client on standard input. Ctrl-D ends it.\n')
  // Relative to the bundled command, as in `serve`.
  const readApp = () => readFile(join(import.meta.dirname, '../apps/answer.html'), 'utf8')
  await serveStdio({ backend, filter, version, readApp }, process.stdin, process.stdout, stop, onError)
}
