import type { Crm } from './contract/client.ts'
import { CrmError } from './contract/errors.ts'
import type { Narrowing } from './transports/mcp/narrowing.ts'
import { serveClient } from './transports/mcp/stdio.ts'

/** Serves tools to one client over standard input and output, until it goes or this process is told to stop. Nothing else is printed there. */
export async function serveMcp(crm: Crm, narrowing: Narrowing, version: string): Promise<void> {
  const told = stopped()
  const trouble = (error: Error) => void process.stderr.write(`crm: ${error.stack ?? error.message}\n`)
  const access = async () => {
    const { Role, Scopes } = await crm.users.getCurrent({})
    return { role: Role, scopes: Scopes }
  }
  // Who may do nothing at all is told so now, and not by the first tool.
  await access()
  if (process.stdin.isTTY) process.stderr.write('crm: Waiting for an MCP client on standard input. Ctrl-D ends it.\n')
  const backend = {
    access,
    call: (operation: string, input: unknown, options?: Parameters<Crm['call']>[2]) =>
      crm.call(operation, input, options).catch((error: unknown) => {
        if (error instanceof CrmError && error.code === 'internal') trouble(error.cause instanceof Error ? error.cause : error)
        throw error
      }),
  }
  await serveClient({ backend, narrowing, version }, process.stdin, process.stdout, told, trouble)
}

function stopped(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done())
  })
}
