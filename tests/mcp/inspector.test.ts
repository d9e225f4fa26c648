import { describe, expect, test } from 'vitest'
import { main } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { npmExec } from '../support/npm-exec.ts'
import { serverForTest } from '../support/server.ts'
import { TOOL_OPERATIONS } from '../support/tool-examples.ts'

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'

/** What the inspector prints about a request, with what it remarks beside. */
async function inspect(cwd: string, target: readonly string[], words: readonly string[]) {
  const { code, out, err } = await npmExec(INSPECTOR, ['mcp-inspector', '--cli', ...target, ...words], cwd)
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
  return { answer: JSON.parse(out) as { [member: string]: unknown }, remarks: err }
}

describe('the inspector', () => {
  test('lists every tool of the command, and calls some of them', async () => {
    const cwd = await temporaryFolder()
    const target = ['node', main, 'mcp']
    const { answer, remarks } = await inspect(cwd, target, ['--method', 'tools/list', '--strict'])
    expect((answer.tools as { name: string }[]).map(({ name }) => name)).toEqual(TOOL_OPERATIONS.map(({ id }) => id))
    // It knows what clients do not take.
    expect(remarks).not.toMatch(/Warning|Error/)
    const created = await inspect(cwd, target, ['--method', 'tools/call', '--tool-name', 'create_a_lead', '--tool-arg', 'FirstName=Ada', 'LastName=Lovelace'])
    const { LeadID } = created.answer.structuredContent as { LeadID: string }
    const found = await inspect(cwd, target, ['--method', 'tools/call', '--tool-name', 'get_leads', '--tool-arg', `LeadID=${LeadID}`])
    expect(found.answer.structuredContent).toMatchObject({ LeadID, FirstName: 'Ada' })
  })

  test('lists tools, resources and prompts over HTTP', async () => {
    const [cwd, server] = [await temporaryFolder(), await serverForTest()]
    const target = [`${server.url}/mcp?toolsets=leads&read-only=true`, '--transport', 'http', '--header', `Authorization: Bearer ${server.key}`]
    const names = async (method: string, member: string) =>
      ((await inspect(cwd, target, ['--method', method])).answer[member] as { name: string }[]).map(({ name }) => name)
    expect(await names('tools/list', 'tools')).toContain('get_many_leads')
    expect(await names('resources/list', 'resources')).toContain('Lead')
    expect(await names('prompts/list', 'prompts')).toEqual([])
  })
})
