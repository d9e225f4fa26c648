import { describe, expect, test } from 'vitest'
import type { Verb } from '../../src/contract/operation.ts'
import { temporaryFolder } from '../support/folder.ts'
import { REVISIONS, type Revision, type Talk, talkTo, talkToCommand } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'
import { exampleInput, TOOL_OPERATIONS } from '../support/tool-examples.ts'

const WAYS: { readonly [way: string]: (revision: Revision, confirm?: string) => Promise<Talk> } = {
  'standard input and output': async (revision, confirm) =>
    talkToCommand(confirm ? ['--confirm', confirm] : [], { cwd: await temporaryFolder() }, { revision }),
  HTTP: async (revision, confirm) => {
    const server = await serverForTest()
    return talkTo(server.url, server.key, { revision, ...(confirm && { query: `?confirm=${confirm}` }) })
  },
}

const ONCE: readonly Verb[] = ['undoChange', 'convert']

describe.each(Object.entries(WAYS))('over %s', (_, open) => {
  test.each(REVISIONS)('every example is carried out by its tool, for a client that speaks %s', async (revision) => {
    const talk = await open(revision)
    expect(talk.client.getNegotiatedProtocolVersion()).toBe(revision)
    expect((await talk.client.listTools()).tools.map(({ name }) => name)).toEqual([...TOOL_OPERATIONS.map(({ id }) => id), 'batch'])
    for (const operation of TOOL_OPERATIONS) {
      const input = await exampleInput(talk, operation)
      for (const more of [{}, { Detail: 'full' }]) {
        if (operation.effect === 'delete' && 'Detail' in more) continue
        const { isError, text, says } = await talk.call(operation.id, { ...input, ...more })
        // A change that was undone cannot be undone again, nor a lead be converted twice.
        if (ONCE.includes(operation.verb) && 'Detail' in more) expect(says.code).toBe('conflict')
        else expect([operation.id, isError, text]).toEqual([operation.id, false, expect.stringMatching(/\S/)])
      }
      if (operation.effect === 'read') continue
      const rehearsed = await talk.call(operation.id, { ...(await exampleInput(talk, operation)), DryRun: true })
      expect([operation.id, rehearsed.says.DryRun]).toEqual([operation.id, true])
    }
  })

  test.each(REVISIONS)('whatever a tool answers, a client that speaks %s finds it as listed', async (revision) => {
    const { client, call } = await open(revision, 'deletes')
    await client.listTools()
    const LeadID = (await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).says.LeadID
    const FieldsToUpdate = { Description: 'Again. '.repeat(2000) }
    expect((await call('update_lead', { LeadID, FieldsToUpdate, Detail: 'full' })).says).toMatchObject({ LeftOut: expect.any(String) })
    expect((await call('get_leads', { LeadID, Budget: 200 })).says).toMatchObject({ LeftOut: expect.any(String) })
    expect((await call('get_many_leads', { Limit: 1, Detail: 'full' })).says).toMatchObject({ NextCursor: null })
    expect((await call('get_leads', { Lead: 1 })).says).toMatchObject({ code: 'invalid_input' })
    const { says } = await call('delete_lead', { LeadID })
    expect(says).toMatchObject({ ConfirmationRequired: true, ConfirmationToken: expect.any(String) })
    expect((await call('delete_lead', { LeadID, ConfirmationToken: says.ConfirmationToken })).says).toMatchObject({ Deleted: true })
    const Operations = [{ Operation: 'create_case', Input: { Subject: 'Engine jams', Description: 'Again.' } }]
    for (const more of [{}, { DryRun: true }, { Detail: 'full' }]) expect((await call('batch', { Operations, ...more })).isError).toBe(false)
  })
})
