import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let talk: Talk

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { atEnd: afterAll })
})
afterAll(() => server.close())

const create = (LastName: string) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName } })

test('calls several tools, answers with a receipt for each, and is undone as one', async () => {
  const { says, text } = await talk.call('batch', { Operations: [create('Lovelace'), { Operation: 'create_a_lead', Input: {} }, create('Byron')] })
  expect(says).toMatchObject({ Done: 2, NotDone: 1, BatchID: expect.any(String) })
  expect(says.Results).toEqual([
    { Call: 1, Status: 400, Code: 'invalid_input', Refused: expect.stringContaining('FirstName') },
    { Call: 0, LeadID: expect.any(String), Revision: 1, ChangeID: expect.any(String) },
    { Call: 2, LeadID: expect.any(String), Revision: 1, ChangeID: expect.any(String) },
  ])
  expect(text).toContain(`BatchID: "${says.BatchID}"`)
  const undone = await talk.call('undo_change', { BatchID: says.BatchID })
  expect(undone.says).toMatchObject({ UndoneBatchID: says.BatchID, Undone: 2, Left: 0, Changes: { 'lead.deleted': 2 } })
  expect((await talk.call('get_many_leads', {})).says.Records).toEqual([])
})

test('shows what is beyond its length as counts, the refusals first', async () => {
  const calls = { Operations: [...Array.from({ length: 100 }, (_, i) => create(String(i))), create('')] }
  for (const [Budget, least, most] of [
    [2000, 25, 49],
    [20_000, 50, 50],
  ] as const) {
    const { says } = await talk.call('batch', { ...calls, Budget })
    const Results = says.Results as { Call: number }[]
    expect(says).toMatchObject({ Done: 100, NotDone: 1, LeftOut: `${101 - Results.length} results (get_many_changes shows what was done)` })
    expect(Results.length).toBeGreaterThanOrEqual(least)
    expect(Results.length).toBeLessThanOrEqual(most)
    expect(Results[0]).toMatchObject({ Call: 100, Code: 'invalid_input', Refused: expect.any(String) })
    expect(Results[1]).toMatchObject({ Call: 0 })
  }
  const { says } = await talk.call('batch', { ...calls, DryRun: true })
  expect((says.Results as object[])[0]).toMatchObject({ Call: 100, Code: 'invalid_input' })
  expect(says).toMatchObject({ WouldBeDone: 100, LeftOut: expect.stringMatching(/^\d+ results \(fewer calls in a batch show more\)$/) })
})

test('does not say of refusals that something was done', async () => {
  for (const Detail of [undefined, 'full']) {
    const { says } = await talk.call('batch', { Operations: Array.from({ length: 200 }, () => create('')), ...(Detail && { Detail }) })
    const { length } = says.Results as object[]
    expect(says.LeftOut).toBe(`${200 - length} refusals (fewer calls in a batch show more)`)
  }
})

test.each([undefined, 'full'])('shows its whole BatchID whatever its budget, with Detail %s', async (Detail) => {
  const Operations = Array.from({ length: 40 }, (_, i) => create(`Budgeted ${i}`))
  const { says, text } = await talk.call('batch', { Operations, Budget: 200, ...(Detail && { Detail }) })
  for (const shown of [text, JSON.stringify(says)]) expect(o200k(shown).length).toBeLessThanOrEqual(200)
  expect((await talk.call('undo_change', { BatchID: says.BatchID })).says).toMatchObject({ UndoneBatchID: says.BatchID, Undone: 40 })
})

test('says of a dry run what would be done', async () => {
  const { says } = await talk.call('batch', { Operations: [create('Noether'), create('')], DryRun: true })
  expect(says).toMatchObject({ DryRun: true, WouldBeDone: 1, NotDone: 1 })
  expect(says).not.toHaveProperty('Done')
})

test('knows no tool that the client is not offered, and nothing is done', async () => {
  const before = (await talk.call('get_many_leads', { Limit: 1000 })).says.Records
  const { isError, says } = await talk.call('batch', {
    Operations: [create('Lovelace'), { Operation: 'create_key', Input: {} }, { Operation: 'delete_leads', Input: {} }],
  })
  expect(isError).toBe(true)
  expect(says).toMatchObject({
    code: 'invalid_input',
    errors: [
      { field: 'Operations.1.Operation', code: 'unknown' },
      { field: 'Operations.2.Operation', code: 'unknown', didYouMean: 'delete_lead' },
    ],
  })
  expect((await talk.call('get_many_leads', { Limit: 1000 })).says.Records).toEqual(before)
  const faulty = await talk.call('batch', { Operations: [], Atomc: true })
  expect(faulty.says).toMatchObject({ code: 'invalid_input' })
})

test('is not offered where nothing can be changed', async () => {
  const reads = await talkTo(`${server.url}`, (await server.call('create_key', { Scopes: ['read'] })).Key as string, { atEnd: afterAll })
  expect((await reads.client.listTools()).tools.map(({ name }) => name)).not.toContain('batch')
  await expect(reads.call('batch', { Operations: [create('Lovelace')] })).rejects.toThrow('no tool called')
})

test('a key that was used before is called as the argument that had it', async () => {
  const keyed = (LastName: string) => ({ ...create(LastName), Key: 'one-of-a-batch' })
  await talk.call('batch', { Operations: [keyed('First')] })
  const refused = await talk.call('batch', { Operations: [keyed('Second')] })
  expect(refused.says.Results).toMatchObject([{ Refused: 'This Key was used with another operation or input.' }])
  const full = await talk.call('batch', { Operations: [keyed('Second')], Detail: 'full' })
  expect(full.says.Results).toMatchObject([{ Error: { detail: 'This Key was used with another operation or input.' } }])
  await talk.call('batch', { Operations: [create('First')], Atomic: true, IdempotencyKey: 'a-whole-batch' })
  const whole = await talk.call('batch', { Operations: [create('Second')], Atomic: true, IdempotencyKey: 'a-whole-batch' })
  expect(whole.text).toContain('This IdempotencyKey was used')
  expect(whole.text).not.toContain('Idempotency-Key')
})

test('other names for it are answered with it, but not those of what reads or undoes', async () => {
  const nearestTo = async (name: string) => /Nearest: (.*)\.$/.exec(String(await talk.call(name).catch((error: unknown) => error)))?.[1]
  for (const name of ['Batch', 'batches', 'run_batch', 'start_batch', 'bulk', 'bulk_delete', 'batchUpdate', 'mass_update', 'dry_run_batch'])
    expect([name, await nearestTo(name)]).toEqual([name, 'batch'])
  for (const name of ['undo_batch', 'revert_batch', 'rollback_batch', 'batch_undo', 'undo_bulk_delete'])
    expect([name, await nearestTo(name)]).toEqual([name, 'undo_change'])
  for (const name of [
    'get_batches',
    'view_batches',
    'count_batch',
    'search_batch',
    'fetch_bulk',
    'export_bulk',
    'describe_batch',
    'batch_read',
    'bulk_get_leads',
  ])
    expect([name, (await nearestTo(name)) ?? '']).toEqual([name, expect.not.stringContaining('batch')])
})

test('calls in a batch are remarked on, each by its number', async () => {
  const input = (LastName: string) => ({ FirstName: 'Ada', LastName })
  const first = (await talk.call('create_a_lead', input('Remarked'))).says
  const before = (await talk.call('create_a_lead', input('Stale'))).says
  await server.call('update_lead', { LeadID: before.LeadID, FieldsToUpdate: { Phone: '1' } })
  const Operations = [
    { Operation: 'create_a_lead', Input: { ...input('Slip'), Status: 'open' } },
    { Operation: 'create_a_lead', Input: input('Remarked') },
    { Operation: 'create_a_lead', Input: {} },
    { Operation: 'create_a_lead', Input: input('Remarked'), Key: 'on-purpose' },
    { Operation: 'update_lead', Input: { LeadID: before.LeadID, FieldsToUpdate: { Phone: '2' } } },
  ]
  const { says, text } = await talk.call('batch', { Operations })
  expect(says.Remarks).toEqual([
    expect.stringMatching(new RegExp(`^Call 1: The same Create A Lead was made .* LeadID ${first.LeadID}`)),
    expect.stringMatching(/^Call 0: Status is "open".* near "Open"/),
    expect.stringMatching(/^Call 4: .*Phone/),
  ])
  expect(text).toMatch(/\nRemark: Call 1: .*\nRemark: Call 0: Status is "open"/)
  expect((await talk.call('batch', { Operations: [Operations[4]] })).says).not.toHaveProperty('Remarks')
})
