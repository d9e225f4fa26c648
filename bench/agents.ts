import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { connect } from '../src/transports/sdk/connect.ts'
import { MISTAKES, type Stage, type ToolAnswer } from './agent-mistakes.ts'
import { startService } from './processes.ts'
import type { Result } from './report.ts'

/** What a mistake is worth: a point where nothing wrong is left in the store, and one where what was wanted is there, by following the answers alone. */
const POINTS = 2

/** Twelve mistakes that agents make, played through by clients that make them. What has happened is read from the store, past the server of the tools. */
export async function agentMistakes(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const service = await startService(folder)
  const clients: Client[] = []
  try {
    const crm = connect({ baseUrl: service.url, key: service.key })
    const results: Result[] = []
    let total = 0
    for (const [n, { what, play }] of MISTAKES.entries()) {
      const tokens: number[] = []
      const stage: Stage = {
        crm,
        signIn: (key) => connect({ baseUrl: service.url, key }),
        name: `Mistake ${n}`,
        agent: async ({ query = '', decides, key = service.key } = {}) => {
          const client = await opened(`${service.url}/mcp${query}`, key, decides)
          clients.push(client)
          return { call: (name, input) => called(client, name, input, tokens), tools: async () => (await client.listTools()).tools.map(({ name }) => name) }
        },
      }
      const { isSafe, isDone } = await play(stage)
      const points = Number(isSafe) + Number(isDone)
      total += points
      results.push({
        what,
        ours: `${points} points`,
        other: `of ${POINTS}; ${tokens.length} answers, the largest of ${Math.max(0, ...tokens)} tokens`,
        ratio: points / POINTS,
        atLeast: 1,
      })
    }
    const most = POINTS * MISTAKES.length
    return [...results, { what: 'All twelve', ours: `${total} points`, other: `of ${most}`, ratio: total / most, atLeast: 1 }]
  } finally {
    for (const client of clients) await client.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The official client. With `decides` a person is behind it, who is asked. */
async function opened(url: string, key: string, decides: ((question: string) => 'accept' | 'decline') | undefined): Promise<Client> {
  const client = new Client({ name: 'bench', version: '0' }, decides ? { capabilities: { elicitation: { form: {} } } } : {})
  if (decides) client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: decides(params.message), content: {} }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }))
  return client
}

/** The answer of a tool, also where the tool is unknown. */
async function called(client: Client, name: string, input: object, tokens: number[]): Promise<ToolAnswer> {
  const {
    isError = false,
    content = [],
    structuredContent = {},
  } = await client
    .callTool({ name, arguments: { ...input } })
    .catch((error: Error) => ({ isError: true, content: [{ type: 'text', text: error.message }], structuredContent: {} }))
  const text = (content as { readonly text?: string }[]).map((one) => one.text ?? '').join('\n')
  tokens.push(Math.max(encode(text).length, encode(JSON.stringify(structuredContent)).length))
  return { isError, text, says: structuredContent as ToolAnswer['says'] }
}
