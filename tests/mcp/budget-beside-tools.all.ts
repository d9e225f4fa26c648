import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUDGET } from '../../src/transports/mcp/option-arguments.ts'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

const LONG = 'The third column of the engine sticks. 第三列が動かない。😀 '.repeat(40)
const FIELDS = Array.from({ length: 300 }, (_, i) => `Field${i}`)

let server: TestServer
let talk: Talk
let ObjectID: string

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { query: '?confirm=deletes', atEnd: afterAll })
  const Fields = Object.fromEntries(FIELDS.map((name, i) => [name, { Type: 'String', Label: `Label ${i}`, Value: LONG.slice(i, i + 200).toWellFormed() }]))
  ;({ ObjectID } = (await server.call('create_custom_object', { ObjectName: 'Ship', Fields })) as { ObjectID: string })
  const small = { Hull: { Type: 'Number', Label: 'Hull', Value: 1 } }
  for (let i = 0; i < 120; i++) await server.call('create_custom_object', { ObjectName: `AnObjectOfManyWithALongName${i}`, Fields: small })
})
afterAll(() => server.close())

describe('a resource', () => {
  const read = async (uri: string) => {
    const { text } = (await talk.client.readResource({ uri })).contents[0] as { text: string }
    expect(o200k(text).length, uri).toBeLessThanOrEqual(BUDGET.default)
    return JSON.parse(text)
  }

  test('fits, however much it describes, and says what is left out', async () => {
    for (const { uri } of (await talk.client.listResources()).resources.slice(0, 20)) await read(uri)
    const ship = await read('crm://objects/Ship')
    expect(Object.keys(ship.Fields)).toEqual(expect.arrayContaining(['Field0', 'Field20']))
    expect(ship).toMatchObject({ ObjectName: 'Ship', LeftOut: expect.stringMatching(/^labels, descriptions and lengths, which describe shows/) })
    const overview = await read('crm://records')
    expect(overview).toMatchObject({ RecordTypes: expect.any(Array), LeftOut: expect.stringMatching(/^all but \d+ of 121 CustomObjects/) })
    expect((await read('crm://records/Lead')).Fields[0]).toMatchObject({ Name: 'LeadID', Operators: expect.any(Array) })
    expect(await read(`crm://customObjects/${ObjectID}`)).toMatchObject({ ObjectID, LeftOut: expect.any(String) })
  })
})

test('a prompt fits, and takes no text that would not', async () => {
  const { prompts } = await talk.client.listPrompts()
  for (const { name } of prompts) expect(o200k(JSON.stringify(await talk.client.getPrompt({ name }))).length, name).toBeLessThan(500)
  const get = (Criteria: string) => talk.client.getPrompt({ name: 'qualify_lead', arguments: { Criteria } })
  expect(o200k(JSON.stringify(await get(LONG.slice(0, 1000)))).length).toBeLessThan(BUDGET.default)
  await expect(get(LONG.slice(0, 2001))).rejects.toThrow('Criteria may have 2000 characters, not 2001.')
})

describe('what waits to be confirmed', () => {
  /** The budget that a refusal for the sake of a smaller one names. */
  async function budgetFor(tool: string, input: object, Budget: number): Promise<number> {
    const { says, text } = await talk.call(tool, { ...input, Budget })
    expect(says).toMatchObject({ code: 'too_large', hint: expect.stringMatching(/^Call again with Budget: \d+\.$/) })
    for (const part of [text, JSON.stringify(says)]) expect(o200k(part).length).toBeLessThanOrEqual(Budget)
    return Number(/\d+/.exec(String(says.hint))?.[0])
  }

  test.each([4000, 1000, 600])('fits into a budget of %d or the one that this is refused with, with what to do and the token', async (given) => {
    const Budget = given === 4000 ? given : await budgetFor('delete_custom_object', { ObjectID }, given)
    const { says, text } = await talk.call('delete_custom_object', { ObjectID, Budget })
    for (const part of [text, JSON.stringify(says)]) expect(o200k(part).length).toBeLessThanOrEqual(Budget)
    expect(text).toMatch(/^Nothing was changed yet.*\nDelete Custom Object.*\n(.*\n)*- and \d+ more\n/)
    expect(text.endsWith(`ConfirmationToken: ${says.ConfirmationToken}`)).toBe(true)
    expect(says).toMatchObject({
      ConfirmationRequired: true,
      Plan: { Preview: { DryRun: true, Undoable: true } },
      LeftOut: expect.stringMatching(/\(Budget: \d+ shows (all|more)\)/),
    })
  })

  test('fits where it is a batch, and where a person allows it elsewhere', async () => {
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => server.call('create_a_lead', { FirstName: LONG.slice(i, i + 90).toWellFormed(), LastName: 'Lovelace' })),
    )
    const Operations = made.map(({ LeadID }) => ({ Operation: 'delete_lead', Input: { LeadID } }))
    const Budget = await budgetFor('batch', { Operations }, 700)
    const { says, text } = await talk.call('batch', { Operations, Budget })
    for (const part of [text, JSON.stringify(says)]) expect(o200k(part).length).toBeLessThanOrEqual(Budget)
    expect(text).toMatch(/^Nothing was changed yet.*\nExecute a batch: 30 × Delete Lead\?\nIt takes away 30 records:\n(- .*\n){20}- and 10 more\n/)
    const person = await talkTo(server.url, server.key, { query: '?confirm=person' })
    const elsewhere = await person.call('delete_custom_object', { ObjectID, Budget: 600 })
    for (const part of [elsewhere.text, JSON.stringify(elsewhere.says)]) expect(o200k(part).length).toBeLessThanOrEqual(600)
    expect(elsewhere.says).toMatchObject({ AllowedBy: 'person', LeftOut: expect.stringContaining('the person sees them') })
  })
})
