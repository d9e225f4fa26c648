import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

test('a workspace is added once, with the key of its first admin, and has nothing to do with the others', async () => {
  const cwd = await temporaryFolder()
  const run = async (...words: string[]) => answerOf(await crm(words, { cwd }))
  expect(await run('workspaces')).toEqual({ Workspaces: ['default'] })
  const added = await run('workspaces', 'add', 'sandbox')
  expect(added).toEqual({ Workspace: 'sandbox', Key: expect.stringMatching(/^crm_/) })
  expect(await run('workspaces', 'list')).toEqual({ Workspaces: ['default', 'sandbox'] })

  const lead = await run('create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace', '--workspace', 'sandbox')
  expect(await run('get_many_leads')).toMatchObject({ Records: [] })
  expect(await run('get_many_leads', '--workspace', 'sandbox')).toMatchObject({ Records: [{ LeadID: lead.LeadID }] })
  expect((await crm(['get_leads', '--LeadID', String(lead.LeadID)], { cwd })).code).toBe(4)
  expect(await run('get_summary_of_leads')).toMatchObject({ Total: 0 })
  expect(await run('get_summary_of_leads', '--workspace', 'sandbox')).toMatchObject({ Total: 1 })

  const service = await startService(cwd)
  expect(await service.call('get_current_user')).toMatchObject({ Workspace: 'default' })
  const asSandbox = await service.post('get_many_leads', {}, { authorization: `Bearer ${added.Key}` })
  expect(await asSandbox.json()).toMatchObject({ Records: [{ LeadID: lead.LeadID }] })
})

test.concurrent.for([
  ['default', 5, /already a workspace called "default"/],
  ['', 2, /Name must not be empty/],
  ['two words', 2, /A workspace name is/],
  ['../x', 2, /A workspace name is/],
  ['x'.repeat(81), 2, /Name is longer than 80/],
] as const)('a workspace cannot be called %j', async ([name, exit, says], { onTestFinished }) => {
  const cwd = await temporaryFolder(onTestFinished)
  const { code, out, err } = await crm(['workspaces', 'add', name], { cwd })
  expect({ code, out }).toEqual({ code: exit, out: '' })
  expect(err).toMatch(says)
  expect(answerOf(await crm(['workspaces'], { cwd }))).toEqual({ Workspaces: ['default'] })
})

test('a workspace is paused, resumed, and deleted by its plan', async () => {
  const cwd = await temporaryFolder()
  const run = async (...words: string[]) => answerOf(await crm(words, { cwd }))
  await run('workspaces', 'add', 'sandbox')
  expect(await run('workspaces', 'pause', 'sandbox')).toEqual({ Workspace: 'sandbox', State: 'paused' })
  expect(await run('workspaces')).toEqual({ Workspaces: ['default', 'sandbox (paused)'] })
  expect(await crm(['get_many_leads', '--workspace', 'sandbox'], { cwd })).toMatchObject({ code: 3, err: expect.stringContaining('sandbox is paused') })
  expect(await run('workspaces', 'resume', 'sandbox')).toEqual({ Workspace: 'sandbox', State: 'active' })
  const planned = await crm(['workspaces', 'delete', 'sandbox'], { cwd })
  expect(planned.code).toBe(5)
  const [, token = ''] = /--confirmation (\S+?)[,"\s]/.exec(planned.err) ?? []
  expect(await run('workspaces', 'delete', 'sandbox', '--confirmation', token)).toMatchObject({ Name: 'sandbox', State: 'deleting', Erases: { User: 1 } })
  expect(await run('workspaces')).toEqual({ Workspaces: ['default', 'sandbox (deleting)'] })
})

test('a workspace can have a platform of its own, by the configuration', async () => {
  const cwd = await temporaryFolder()
  writeFileSync(`${cwd}/crm.config.json`, JSON.stringify({ workspaces: { sandbox: { platform: 'sqlite:./data/sandbox.db' } } }))
  const run = async (...words: string[]) => answerOf(await crm(words, { cwd }))
  await run('workspaces', 'add', 'sandbox')
  await run('create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace', '--workspace', 'sandbox')
  writeFileSync(`${cwd}/crm.config.json`, '{}')
  expect(await run('get_many_leads', '--workspace', 'sandbox')).toMatchObject({ Records: [] })
})
