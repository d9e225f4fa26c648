import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { main } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { talkTo } from '../support/mcp.ts'
import { npmExec } from '../support/npm-exec.ts'
import { serverForTest, type TestServer } from '../support/server.ts'
import { exampleInput, TOOL_OPERATIONS } from '../support/tool-examples.ts'

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'

interface Asked {
  /** A command or an address, with what is needed to reach it. */
  readonly target: readonly string[]
  readonly words: readonly string[]
}

interface Told {
  readonly answer: { readonly [member: string]: unknown }
  readonly remarks: string
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

/** What the inspector prints about each request, with what it remarks beside. It is started anew for each, two at a time. */
async function inspect(asked: readonly Asked[]): Promise<readonly Told[]> {
  const cwd = await temporaryFolder()
  for (const [i, { target, words }] of asked.entries())
    writeFileSync(
      join(cwd, `${i}.sh`),
      `mcp-inspector --cli ${[...target, ...words].map(quoted).join(' ')} >${i}.out 2>${i}.err || echo "ended with $?" >>${i}.err`,
    )
  await npmExec(INSPECTOR, ['sh', '-c', 'ls *.sh | xargs -n 1 -P 2 sh'], cwd)
  return asked.map((_, i) => {
    const [out = '', remarks = ''] = ['out', 'err'].map((kind) => readFileSync(join(cwd, `${i}.${kind}`), 'utf8'))
    expect(remarks).not.toMatch(/ended with/)
    return { answer: JSON.parse(out) as Told['answer'], remarks }
  })
}

const overHttp = ({ url, key }: TestServer, query = '') => [`${url}/mcp${query}`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
const toolArguments = (input: object) => Object.entries(input).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
const names = (listed: unknown) => (listed as { readonly name: string }[]).map(({ name }) => name)

describe('the inspector', () => {
  test('lists every tool of the command, and finds no schema that some client would not take', async () => {
    const target = ['node', main, 'mcp', '--platform', `sqlite:${await temporaryFolder()}/crm.db`]
    const [listed] = await inspect([{ target, words: ['--method', 'tools/list', '--strict'] }])
    expect(names(listed?.answer.tools)).toEqual([...TOOL_OPERATIONS.map(({ id }) => id), 'batch'])
    expect(listed?.remarks).not.toMatch(/Warning|Error/)
  })

  test('lists tools, resources and prompts over HTTP, and calls every tool', async () => {
    const server = await serverForTest()
    const talk = await talkTo(server.url, server.key)
    const target = overHttp(server)
    const lists = ['tools', 'resources', 'prompts']
    const calls = await Promise.all(
      TOOL_OPERATIONS.map(async (operation) => {
        const given = toolArguments(await exampleInput(talk, operation))
        return ['--method', 'tools/call', '--tool-name', operation.id, ...(given.length > 0 ? ['--tool-arg', ...given] : [])]
      }),
    )
    const told = await inspect([...lists.map((list) => ['--method', `${list}/list`]), ...calls].map((words) => ({ target, words })))
    expect(lists.map((list, i) => names(told[i]?.answer[list]).length > 0)).toEqual([true, true, true])
    for (const [i, { id }] of TOOL_OPERATIONS.entries()) {
      const { isError = false, structuredContent } = told[lists.length + i]?.answer ?? {}
      expect([id, isError, structuredContent]).toEqual([id, false, expect.any(Object)])
    }
  })
})
