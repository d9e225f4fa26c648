import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { talkTo, talkToCommand } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
const blocks = (language: string) => [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)

describe('the page about agents', () => {
  test('configures clients with what the command takes, and the service understands', async () => {
    const [desktop, code] = blocks('json').map((block) => JSON.parse(block))
    const [, , ...words] = desktop.mcpServers.crm.args as string[]
    const folder = await temporaryFolder()
    const { client } = await talkToCommand(
      words.slice(1).map((word) => word.replace('/home/ada', folder)),
      { cwd: folder },
    )
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    expect(words[0]).toBe('mcp')
    const server = await serverForTest()
    const { call } = await talkTo(server.url, server.key, { query: new URL(code.servers.crm.url).search })
    expect((await call('get_current_user')).isError).toBe(false)
  })

  test('makes a key that works', async () => {
    const line =
      blocks('sh')
        .flatMap((block) => block.split('\n'))
        .find((one) => one.startsWith('crm create_key')) ?? ''
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    const { code, out } = await crm([...words.slice(1), '--output', 'json'], { cwd: await temporaryFolder() })
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ Confirm: 'deletes', Scopes: ['read', 'write:Case'] })])
  })
})
