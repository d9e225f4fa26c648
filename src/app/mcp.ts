import type { Crm } from '../contract/client/client.ts'
import { describe } from '../contract/describe.ts'
import { CrmError } from '../contract/errors.ts'
import { mayCall } from '../contract/scopes.ts'
import { describedPlatform, type Extending } from '../core/call/extension.ts'
import type { Access, Narrowing } from '../transports/mcp/narrowing.ts'
import { serveClient } from '../transports/mcp/stdio.ts'

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
    platform: platformOf(crm, access),
    call: (operation: string, input: unknown, options?: Parameters<Crm['call']>[2]) =>
      crm.call(operation, input, options).catch((error: unknown) => {
        if (error instanceof CrmError && error.code === 'internal') trouble(error.cause instanceof Error ? error.cause : error)
        throw error
      }),
  }
  await serveClient({ backend, narrowing, version }, process.stdin, process.stdout, told, trouble)
}

/** Of what is asked for each list of tools and each call, so much is taken for granted. */
const KEPT_MS = 60_000
const NOTHING_MORE: Extending = { name: '', supports: { fields: {}, extras: {} } }

/** What the platform has beyond the contract, asked of whoever sees it; nothing where the caller may not know. */
function platformOf(crm: Crm, access: () => Promise<Access>): () => Promise<Extending> {
  let known: { readonly until: number; readonly platform: Promise<Extending> } | undefined
  const ask = async () => (mayCall(await access(), describe) ? describedPlatform(await crm.describe({})) : NOTHING_MORE)
  return () => {
    if (!known || known.until < Date.now()) {
      const platform = ask()
      const asked = { until: Date.now() + KEPT_MS, platform }
      known = asked
      platform.catch(() => {
        if (known === asked) known = undefined
      })
    }
    return known.platform
  }
}

function stopped(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done())
  })
}
