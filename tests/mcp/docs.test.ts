import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS_TABLE } from '../../src/config/settings.ts'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { talkTo, talkToCommand } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
const blocks = (language: string) => [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)

test('the entry for the registry fits the package, and starts the server', async () => {
  const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', name), 'utf8'))
  const [{ name, version, description, packages }, own] = [read('server.json'), read('package.json')]
  expect([name, version]).toEqual([own.mcpName, own.version])
  expect(description.length).toBeLessThanOrEqual(100)
  const [{ identifier, version: published, packageArguments, environmentVariables }] = packages
  expect([identifier, published]).toEqual([own.name, own.version])
  for (const variable of environmentVariables) expect(Object.values(SETTINGS_TABLE).map((row) => 'variable' in row && row.variable)).toContain(variable.name)
  const [command, ...flags] = packageArguments.flatMap((one: { type: string; name: string; value: string; default: string }) =>
    one.type === 'named' ? [one.name, one.default] : [one.value],
  )
  expect(command).toBe('mcp')
  const { client } = await talkToCommand(flags, { cwd: await temporaryFolder() })
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
})

describe('the page about agents', () => {
  test('has the results of the mistakes that were measured', () => {
    const results = readFileSync(join(import.meta.dirname, '../../bench/results/agents.md'), 'utf8')
    const measured = [...results.matchAll(/^\| (.+?) +\| (\d+) points +\| of (\d+)(?:; \d+ answers, the largest of (\d+) tokens)?/gm)].map(
      ([, mistake, points, most, tokens = '']) => `| ${mistake} | ${points} of ${most} | ${tokens} |`,
    )
    expect(measured.length).toBeGreaterThan(10)
    expect(page).toContain(`| mistake | points | largest answer, tokens |\n|---|---|---|\n${measured.join('\n')}\n\n`)
  })

  test('configures clients with what the command takes, and the service understands', async () => {
    const [desktop, code] = blocks('json').map((block) => JSON.parse(block))
    const { command, args: words } = desktop.mcpServers.crm as { command: string; args: string[] }
    expect(command).toBe('crm')
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
