import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { cleanEnvironment, type HowToRun, main } from './crm.ts'

/** The protocol revisions under test: the current one and the one before it. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  /** Its structured content. */
  readonly says: { readonly [member: string]: unknown }
}

/** A connected client. */
export interface Talk {
  readonly client: Client
  /** Calls a tool; the result may be a refusal, but not a protocol error. */
  call(name: string, input?: object): Promise<ToolAnswer>
}

export interface HowToTalk {
  readonly revision?: Revision
  readonly options?: ClientOptions
  readonly fetch?: typeof fetch
  /** Called before it connects. */
  readonly prepare?: (client: Client) => void
  /** When it is closed: at the end of the test unless given. */
  readonly atEnd?: (close: () => Promise<void>) => void
}

function newClient({ revision = '2026-07-28', options = {}, prepare }: HowToTalk): Client {
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy'
  const client = new Client({ name: 'tests', version: '0.0.0' }, { ...options, versionNegotiation: { mode } })
  prepare?.(client)
  return client
}

/** The official client, connected to `/mcp` of a service. */
export async function openMcp(url: string, key: string, { query = '', ...how }: HowToTalk & { readonly query?: string } = {}): Promise<Client> {
  const client = newClient(how)
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit, ...(how.fetch && { fetch: how.fetch }) }))
  return client
}

/** The same, for one test. */
export async function talkTo(...[url, key, how]: Parameters<typeof openMcp>): Promise<Talk> {
  return talk(await openMcp(url, key, how), how)
}

/** The official client, connected to a `crm mcp` process, for one test. */
export async function talkToCommand(words: readonly string[], { cwd, env }: Pick<HowToRun, 'cwd' | 'env'>, how: HowToTalk = {}): Promise<Talk> {
  const client = newClient(how)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [main, 'mcp', ...words], cwd, env: cleanEnvironment(env), stderr: 'inherit' }),
  )
  return talk(client, how)
}

function talk(client: Client, { atEnd = onTestFinished }: HowToTalk = {}): Talk {
  atEnd(() => client.close())
  return {
    client,
    async call(name, input = {}) {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: { ...input } })
      const texts = (content as { readonly text: string }[]).map(({ text }) => text)
      return { isError, text: texts.join('\n'), says: structuredContent as ToolAnswer['says'] }
    },
  }
}
