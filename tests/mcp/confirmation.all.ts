import type { Client, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type HowToTalk, type Revision, talkTo, talkToCommand } from '../support/mcp.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }
const CONFIRM = { query: '?confirm=deletes' }

/** A client behind which somebody answers every question in the same way. */
function somebody(action: ElicitResult['action'], revision: Revision): HowToTalk & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    revision,
    asked,
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client: Client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return { action }
      }),
  }
}

const lead = async (server: TestServer) => (await server.call('create_a_lead', ADA)).LeadID as string
const isThere = async (server: TestServer, LeadID: string) => (await server.post('get_leads', { LeadID })).status === 200
const plans = async (server: TestServer) => (await server.call('get_many_plans')).Records as { State: string }[]

describe('a client that can ask', () => {
  test('asks the person, who sees what would be taken away, and acts once they agree', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const how = somebody('accept', '2026-07-28')
    const { call } = await talkTo(server.url, server.key, { ...how, ...CONFIRM })
    expect(await call('delete_lead', { LeadID })).toMatchObject({ isError: false, says: { LeadID, Deleted: true } })
    expect(await isThere(server, LeadID)).toBe(false)
    expect(how.asked).toEqual([expect.stringMatching(new RegExp(`Delete Lead ${LeadID}\\?[^]*- FirstName: Ada\\n- LastName: Lovelace`))])
    expect(await plans(server)).toMatchObject([{ State: 'done' }])
  })

  test.each(['decline', 'cancel'] as const)('does nothing when they %s, and the plan is refused', async (action) => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { call } = await talkTo(server.url, server.key, { ...somebody(action, '2026-07-28'), ...CONFIRM })
    const { isError, text, says } = await call('delete_lead', { LeadID })
    expect([isError, says.code]).toEqual([true, 'forbidden'])
    expect(text).toMatch(/declined\. Nothing was changed\./)
    expect(await isThere(server, LeadID)).toBe(true)
    expect(await plans(server)).toMatchObject([{ State: 'refused' }])
  })

  test('does nothing when they decline, and nobody else can act on it either, whatever the key allows', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { Key } = await server.call('create_key', { Scopes: ['read', 'delete'], Confirm: 'deletes' })
    const { call } = await talkTo(server.url, Key as string, somebody('decline', '2026-07-28'))
    expect((await call('delete_lead', { LeadID })).text).toMatch(/declined/)
    expect([await isThere(server, LeadID), await plans(server)]).toMatchObject([true, [{ State: 'refused' }]])
  })

  test.each(['2026-07-28', '2025-11-25'] as const)('is asked over standard input and output too, when it speaks %s', async (revision) => {
    const cwd = await temporaryFolder()
    for (const [action, gone] of [
      ['decline', false],
      ['accept', true],
    ] as const) {
      const how = somebody(action, revision)
      const { call } = await talkToCommand(['--confirm', 'deletes'], { cwd }, how)
      const { LeadID } = (await call('create_a_lead', ADA)).says
      const { isError, says } = await call('delete_lead', { LeadID })
      expect(how.asked).toHaveLength(1)
      expect([isError, says.Deleted ?? false]).toEqual([!gone, gone])
      expect((await call('get_leads', { LeadID })).isError).toBe(gone)
    }
  })

  test('is told to ask where it fails to, and can act on what it is told', async () => {
    const broken: HowToTalk = {
      revision: '2025-11-25',
      options: { capabilities: { elicitation: { form: {} } } },
      prepare: (client) => client.setRequestHandler('elicitation/create', () => Promise.reject(new Error('no window'))),
    }
    const { call } = await talkToCommand(['--confirm', 'deletes'], { cwd: await temporaryFolder() }, broken)
    const { LeadID } = (await call('create_a_lead', ADA)).says
    const { isError, text, says } = await call('delete_lead', { LeadID })
    expect([isError, says]).toEqual([false, expect.objectContaining({ ConfirmationRequired: true, ConfirmationToken: expect.any(String) })])
    expect(text).toContain(`ConfirmationToken: ${says.ConfirmationToken}`)
    expect((await call('delete_lead', { LeadID, ConfirmationToken: says.ConfirmationToken })).says).toMatchObject({ LeadID, Deleted: true })
  })

  test('has nothing declined that nobody was asked about', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { client } = await talkTo(server.url, server.key, {
      ...CONFIRM,
      options: { capabilities: { elicitation: {} }, inputRequired: { autoFulfill: false } },
    })
    for (const requestState of ['nonsense', 'a.b', '']) {
      const params = { name: 'delete_lead', arguments: { LeadID }, requestState, inputResponses: { confirm: { action: 'decline' } } }
      const result = await client.request({ method: 'tools/call', params } as never)
      expect(result).toMatchObject({ isError: true, structuredContent: { code: 'not_found', detail: 'No plan of yours goes with this requestState.' } })
    }
  })

  test('cannot confirm what it was not asked about', async () => {
    const server = await serverForTest()
    const [LeadID, other] = [await lead(server), await lead(server)]
    const { client } = await talkTo(server.url, server.key, {
      ...CONFIRM,
      options: { capabilities: { elicitation: {} }, inputRequired: { autoFulfill: false } },
    })
    const asked = await client.callTool({ name: 'delete_lead', arguments: { LeadID } }, { allowInputRequired: true })
    const { requestState } = asked as { requestState?: string }
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { confirm: { method: 'elicitation/create' } } })
    for (const [input, state] of [
      [{ LeadID: other }, requestState],
      [{ LeadID }, `${requestState}x`],
    ] as const) {
      const params = { name: 'delete_lead', arguments: input, requestState: state, inputResponses: { confirm: { action: 'accept', content: {} } } }
      expect(await client.request({ method: 'tools/call', params } as never)).toMatchObject({ isError: true })
    }
    expect([await isThere(server, LeadID), await isThere(server, other)]).toEqual([true, true])
  })
})

describe('a client that cannot ask', () => {
  test.each(['2026-07-28', '2025-11-25'] as const)('gets the plan and a token, and acts with it once, when it speaks %s', async (revision) => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { call } = await talkTo(server.url, server.key, { revision, ...CONFIRM })
    const { isError, text, says } = await call('delete_lead', { LeadID })
    expect(isError).toBe(false)
    expect(says).toMatchObject({ ConfirmationRequired: true, ConfirmationToken: expect.any(String), Plan: { Operation: 'delete_lead', RecordID: LeadID } })
    expect(says.Plan).not.toHaveProperty('Token')
    for (const words of ['Nothing was changed yet', '- FirstName: Ada', `ConfirmationToken: ${says.ConfirmationToken}`]) expect(text).toContain(words)
    expect(await isThere(server, LeadID)).toBe(true)
    const { ConfirmationToken } = says
    expect((await call('delete_lead', { LeadID: await lead(server), ConfirmationToken })).says.code).toBe('conflict')
    expect((await call('delete_lead', { LeadID, ConfirmationToken })).says).toMatchObject({ LeadID, Deleted: true })
    expect((await call('delete_lead', { LeadID, ConfirmationToken })).isError).toBe(true)
  })

  test('is asked for a confirmation by its key alone, and never for what takes nothing away', async () => {
    const server = await serverForTest()
    const { Key } = await server.call('create_key', { Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
    const { call } = await talkTo(server.url, Key as string)
    const { LeadID, ChangeID } = (await call('create_a_lead', ADA)).says
    for (const [tool, input] of [
      ['delete_lead', { LeadID }],
      ['undo_change', { ChangeID }],
    ] as const)
      expect((await call(tool, input)).says).toMatchObject({ ConfirmationRequired: true })
    expect((await call('delete_lead', { LeadID, DryRun: true })).says.DryRun).toBe(true)
    const updated = await call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Lost' } })
    expect((await call('undo_change', { ChangeID: updated.says.ChangeID })).says).toMatchObject({ RecordID: LeadID })
  })

  test('has deletes planned by a server that it reaches through crm mcp', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { call } = await talkToCommand(['--confirm', 'deletes'], { cwd: await temporaryFolder(), env: { CRM_URL: server.url, CRM_KEY: server.key } })
    const { says } = await call('delete_lead', { LeadID })
    expect(says.ConfirmationRequired).toBe(true)
    expect(await isThere(server, LeadID)).toBe(true)
    expect((await call('delete_lead', { LeadID, ConfirmationToken: says.ConfirmationToken })).says.Deleted).toBe(true)
  })
})
