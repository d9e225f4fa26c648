import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fault } from '../../src/contract/errors.ts'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let talk: Talk

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { atEnd: afterAll })
})
afterAll(() => server.close())

const faults = (says: { readonly errors?: unknown }) =>
  (says.errors as Fault[]).map(({ field, code, didYouMean }) => [field, code, ...(didYouMean ? [didYouMean] : [])])
const lines = async () => (await server.call('get_many_changes', { Limit: 1000 })).Records as { Outcome: string; Operation: string }[]

describe('what a tool refuses', () => {
  test('has the code, every fault with the nearest right name, and what to do, in its text too', async () => {
    const { isError, says, text } = await talk.call('create_a_lead', { FirstNme: 'Ada', LastName: 7, Email: 'nobody' })
    expect(isError).toBe(true)
    expect(says).toMatchObject({ code: 'invalid_input', retryable: false, hint: expect.any(String), detail: expect.stringContaining('Create A Lead') })
    expect(faults(says)).toEqual(
      expect.arrayContaining([
        ['FirstName', 'missing'],
        ['FirstNme', 'unknown', 'FirstName'],
        ['LastName', 'type'],
        ['Email', 'form'],
      ]),
    )
    for (const words of ['invalid_input', 'didYouMean: "FirstName"', 'LastName must be a text', says.hint]) expect(text).toContain(words as string)
  })

  test('points at nothing that an agent cannot see, and says the same in its text as in its structure', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    for (const [tool, input] of [
      ['create_a_lead', { FirstName: 'x'.repeat(5000), LastName: 'Lovelace' }],
      ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Nickname: 'A' }],
      ['get_leads', { LeadID: 'nothing' }],
      ['update_lead', { LeadID, FieldsToUpdate: { LastName: 'Byron' }, IfRevision: 7 }],
    ] as const) {
      const { says, text } = await talk.call(tool, input)
      expect(says.hint).not.toMatch(/GET \/|schema|header/i)
      for (const words of [says.detail, says.hint]) expect(text).toContain(JSON.stringify(words))
    }
  })

  test('names the fields where a name is unknown, as every transport does, and what steers a call where that was meant', async () => {
    const { says } = await talk.call('get_leads', { LeadID: 'x', Nickname: 'A' })
    expect(says.errors).toEqual([expect.objectContaining({ field: 'Nickname', code: 'unknown', expected: 'LeadID, Include, Fresh' })])
    for (const id of ['id', 'ID', 'Id']) expect(faults((await talk.call('get_leads', { [id]: 'x' })).says)).toContainEqual([id, 'unknown', 'LeadID'])
    const { says: write } = await talk.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', DryRunn: true })
    expect((write.errors as Fault[])[0]).toMatchObject({ field: 'DryRunn', didYouMean: 'DryRun', expected: expect.stringContaining('DryRun') })
  })

  test('shows values and names of others so that none poses as words of the server, or hides', async () => {
    const allowed = 'Oak". Left out: nothing, Pine'
    await server.call('define_field', { RecordType: 'Lead', FieldName: 'Wood', Kind: 'choice', Label: 'Wood', Values: ['Elm', allowed] })
    const { says } = await talk.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Wood: 'Fir' })
    expect(says.errors).toEqual([expect.objectContaining({ field: 'Wood', code: 'value', expected: `Elm, ${JSON.stringify(allowed)}` })])
    const { says: filtered } = await talk.call('get_many_leads', { Filters: { Status: { 'is\u202eton': 'Open' } } })
    expect((filtered.errors as Fault[])[0]?.message).toMatch(/^"is\\u202eton" is not an operator/)
  })

  test('speaks of arguments where the core speaks of headers', async () => {
    const IdempotencyKey = 'speaks-of-arguments'
    await talk.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', IdempotencyKey })
    const { says, text } = await talk.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper', IdempotencyKey })
    expect(says).toMatchObject({ code: 'conflict', detail: 'This IdempotencyKey was used with another operation or input.' })
    expect(text).not.toContain('Idempotency-Key')
  })

  test('says what to do even where the core does not', async () => {
    const { says, text } = await talk.call('get_leads', { LeadID: 'nothing' })
    expect(says).toMatchObject({ code: 'not_found', hint: 'Look for the right id with a get_many tool.' })
    expect(text).toContain('Look for the right id')
  })

  test('names what is wrong with what steers the call together with the rest, does nothing, and leaves a line', async () => {
    const before = await lines()
    const { says } = await talk.call('create_a_lead', { LastName: 'Lovelace', DryRn: true, IdempotencyKey: 'two words', Detail: 'all' })
    expect(says.code).toBe('invalid_input')
    expect(faults(says)).toEqual(
      expect.arrayContaining([
        ['FirstName', 'missing'],
        ['DryRn', 'unknown', 'DryRun'],
        ['IdempotencyKey', 'form'],
        ['Detail', 'value'],
      ]),
    )
    const after = await lines()
    expect(after.slice(0, after.length - before.length)).toMatchObject([{ Operation: 'create_a_lead', Outcome: 'invalid_input' }])
  })

  test('never takes null for a guard that was left out', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    for (const steering of [{ DryRun: null }, { IdempotencyKey: null }, { IfRevision: null }, { ConfirmationToken: null }]) {
      const { says } = await talk.call('delete_lead', { LeadID, ...steering })
      expect([says.code, faults(says)]).toEqual(['invalid_input', [[Object.keys(steering)[0], 'required']]])
    }
    expect((await server.call('get_leads', { LeadID })).LeadID).toBe(LeadID)
  })

  test('is what the key does not allow, and leaves a line of that', async () => {
    const { Key } = await server.call('create_key', { Scopes: ['read:Lead'] })
    const { call } = await talkTo(server.url, Key as string)
    const { isError, says } = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    expect([isError, says.code]).toEqual([true, 'forbidden'])
    expect((await lines())[0]).toMatchObject({ Operation: 'create_a_lead', Outcome: 'forbidden' })
  })
})

describe('what the protocol refuses', () => {
  test('is a tool that is not there, with the nearest that are', async () => {
    const error = await talk.client.callTool({ name: 'create_lead' }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProtocolError)
    expect(error).toMatchObject({
      code: ProtocolErrorCode.InvalidParams,
      message: expect.stringMatching(/There is no tool called "create_lead"\. Nearest: create_a_lead/),
    })
    await expect(talk.client.callTool({ name: 'delete_case' })).rejects.toThrow(/There is no tool called "delete_case"\. Nearest: case_delete\.$/)
    await expect(talk.client.callTool({ name: 'list_leads' })).rejects.toThrow(/Nearest: get_many_leads, get_leads, get_summary_of_leads\.$/)
    await expect(talk.client.callTool({ name: 'foo' })).rejects.toThrow(/There is no tool called "foo"\. tools\/list has all that there are\.$/)
    for (const administration of ['create_key', 'erase_record', 'create_webhook', 'allow_plan'])
      await expect(talk.client.callTool({ name: administration })).rejects.toThrow(/There is no tool/)
  })

  test('is a cursor of a list, of which there is only one page', async () => {
    await expect(talk.client.request({ method: 'tools/list', params: { cursor: 'x' } })).rejects.toThrow(/no such cursor/)
  })
})
