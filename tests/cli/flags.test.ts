import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { commandLine } from '../../src/transports/cli/command-line.ts'
import { asFlags, withFlags } from '../../src/transports/cli/flags.ts'
import { Loose } from '../../src/transports/cli/values.ts'
import { runHere } from '../support/cli.ts'
import { answerOf } from '../support/crm.ts'
import { storeForFile } from '../support/store-for-file.ts'

const operation = (id: string) => OPERATIONS.find((one) => one.id === id) ?? expect.fail(`There is no ${id}.`)
const read = (id: string, given: object) => withFlags({}, given as never, operation(id))

describe('a member of an input is a flag of its own', () => {
  test.each([
    ['update_lead', { 'FieldsToUpdate.Status': 'Contacted', 'FieldsToUpdate.Phone': 'null' }, { FieldsToUpdate: { Status: 'Contacted', Phone: null } }],
    ['update_lead', { 'FieldsToUpdate.LastName': 'null' }, { FieldsToUpdate: { LastName: 'null' } }],
    ['update_lead', { 'FieldsToUpdate.Phone': '0049' }, { FieldsToUpdate: { Phone: '0049' } }],
    ['update_opportunity', { 'FieldsToUpdate.Amount': '12.5' }, { FieldsToUpdate: { Amount: 12.5 } }],
    ['update_opportunity', { 'FieldsToUpdate.Amount': 'much' }, { FieldsToUpdate: { Amount: 'much' } }],
    ['update_webhook', { 'FieldsToUpdate.Active': 'false' }, { FieldsToUpdate: { Active: false } }],
    ['update_webhook', { 'FieldsToUpdate.Active': true }, { FieldsToUpdate: { Active: true } }],
    ['update_webhook', { 'FieldsToUpdate.EventTypes': 'lead.*,case.*' }, { FieldsToUpdate: { EventTypes: ['lead.*', 'case.*'] } }],
    ['get_many_leads', { 'Filters.Status': 'Open' }, { Filters: { Status: 'Open' } }],
    ['get_many_leads', { 'Filters.Phone': 'null' }, { Filters: { Phone: null } }],
    ['get_many_opportunities', { 'Filters.Amount.gte': '1000', 'Filters.Amount.lt': '2000' }, { Filters: { Amount: { gte: 1000, lt: 2000 } } }],
    ['get_many_leads', { 'Filters.Status.in': 'Open,Contacted' }, { Filters: { Status: { in: ['Open', 'Contacted'] } } }],
    ['get_many_leads', { 'Filters.Status.in': ['Open,Contacted', 'Won'] }, { Filters: { Status: { in: ['Open', 'Contacted', 'Won'] } } }],
    ['get_many_leads', { 'Filters.Status.in': '["a,b"]' }, { Filters: { Status: { in: ['a,b'] } } }],
    ['get_many_leads', { 'Filters.Status': 'Open', 'Filters.Status.ne': 'x' }, { Filters: { Status: { eq: 'Open', ne: 'x' } } }],
    ['get_many_leads', { Filters: '{"Status":"Open"}', 'Filters.LastName.startsWith': 'L' }, { Filters: { Status: 'Open', LastName: { startsWith: 'L' } } }],
    ['get_many_leads', { 'Filters.CreatedDate': '{"gte":"2026-01-01T00:00:00Z"}' }, { Filters: { CreatedDate: { gte: '2026-01-01T00:00:00Z' } } }],
    ['get_many_leads', { 'Filters.LastName': '{not JSON' }, { Filters: { LastName: '{not JSON' } }],
    ['get_many_contacts', { 'Filters.Company.Industry': 'Retail' }, { Filters: { 'Company.Industry': 'Retail' } }],
    [
      'get_many_contacts',
      { 'Filters.Company.Employees.gte': '10', 'Filters.Company.Employees.lt': '20' },
      { Filters: { 'Company.Employees': { gte: 10, lt: 20 } } },
    ],
    ['get_many_opportunities', { 'Filters.not.Amount': '30' }, { Filters: { not: { Amount: 30 } } }],
    ['get_many_opportunities', { 'Filters.not.Amount.gt': '5', 'Filters.Amount.lt': '9' }, { Filters: { Amount: { lt: 9 }, not: { Amount: { gt: 5 } } } }],
    ['get_many_opportunities', { 'Filters.not.not.Amount.in': '5,6' }, { Filters: { not: { not: { Amount: { in: [5, 6] } } } } }],
    ['get_many_leads', { 'Filters.not.EmailOptOut': 'true', 'Filters.not.Phone': 'null' }, { Filters: { not: { EmailOptOut: true, Phone: null } } }],
    ['get_many_leads', { 'Filters.not': '{"Status":"Open"}', 'Filters.not.EmailOptOut': true }, { Filters: { not: { Status: 'Open', EmailOptOut: true } } }],
    ['get_many_contacts', { 'Filters.not.Company.Employees.gte': '10' }, { Filters: { not: { 'Company.Employees': { gte: 10 } } } }],
    ['get_many_opportunities', { 'Filters.any': '[{"Amount":30},{"Stage":"Won"}]' }, { Filters: { any: [{ Amount: 30 }, { Stage: 'Won' }] } }],
    ['get_contact', { Include: ['Company,Owner'] }, { Include: ['Company', 'Owner'] }],
    ['get_many_leads', { Select: ['LastName,Email', 'Phone'] }, { Select: ['LastName', 'Email', 'Phone'] }],
    ['get_summary_of_leads', { UserID: 'null' }, { UserID: null }],
  ])('%s %j', (id, given, input) => {
    expect(read(id, given)).toEqual(input)
  })

  test('called like what every object has is a member like any other', () => {
    const input = read('update_lead', { 'FieldsToUpdate.__proto__': 'x', 'FieldsToUpdate.constructor': 'y' })
    expect(Object.entries(input.FieldsToUpdate as object)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test('that only the workspace knows is left for it to say', () => {
    const { FieldsToUpdate } = read('update_custom_object', { 'FieldsToUpdate.HullLength': '8' }) as { FieldsToUpdate: { HullLength: Loose } }
    expect(FieldsToUpdate.HullLength).toBeInstanceOf(Loose)
    expect(['8', 'true', 'null', '"8"', 'eight', '{"a":1}', '[1]', ''].map((text) => new Loose(text).look)).toEqual([
      8,
      true,
      null,
      '8',
      'eight',
      '{"a":1}',
      '[1]',
      '',
    ])
  })
})

describe('an input as flags', () => {
  test.each(OPERATIONS.map((one) => [one.id, one] as const))('of %s gives its example again', (_, one) => {
    const words = asFlags(one.example as never, one)
    const given: Record<string, unknown> = {}
    for (let i = 0; i < words.length; i += 2) given[String(words[i]).slice(2)] = words[i + 1]
    expect(looked(withFlags({}, given, one))).toEqual(one.example)
  })

  test('gives any filter again, as one flag or as several', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('null', 'true', '8', '"8"', 'a,b', '{"a":1}', "it's", '--x', ' '))
    const filter = fc.oneof(
      text,
      fc.constant(null),
      fc.record({ eq: text, contains: text, in: fc.array(text, { minLength: 1, maxLength: 3 }) }, { requiredKeys: ['eq'] }),
    )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('FirstName', 'Status', 'Email'), filter, { minKeys: 1 }), (Filters) => {
        const words = asFlags({ Filters }, operation('get_many_leads'))
        const given: Record<string, unknown> = {}
        for (let i = 0; i < words.length; i += 2) given[String(words[i]).slice(2)] = words[i + 1]
        expect(read('get_many_leads', given)).toEqual({ Filters })
      }),
    )
  })

  test('shows what is below not as flags of its own', () => {
    expect(commandLine(operation('get_many_opportunities'), { Filters: { not: { Amount: { gt: 5 } } } })).toBe(
      'crm get_many_opportunities --Filters.not.Amount.gt 5',
    )
  })

  test('that begins with two hyphens is joined to its flag', () => {
    expect(commandLine(operation('create_a_lead'), { FirstName: '--x', LastName: '-y' })).toBe('crm create_a_lead --FirstName=--x --LastName -y')
  })

  test('is quoted for a shell', () => {
    expect(
      commandLine(operation('create_a_lead'), { FirstName: "O'Brien", LastName: '$HOME *', Email: 'a@b' }, { flags: { platform: 'sqlite:my store.db' } }),
    ).toBe(`crm create_a_lead --FirstName 'O'\\''Brien' --LastName '$HOME *' --Email a@b --platform 'sqlite:my store.db'`)
  })
})

/** What loose values look like. */
function looked(value: unknown): unknown {
  if (value instanceof Loose) return value.look
  if (Array.isArray(value)) return value.map(looked)
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, looked(one)])) : value
}

describe('a field that the workspace has defined', () => {
  const store = storeForFile()
  const run = async (...words: string[]) => answerOf(await runHere(words, { env: store.env }))
  let ObjectID: string
  beforeAll(async () => {
    ObjectID = (
      await store.crm.customObjects.create({
        ObjectName: 'Boat',
        Fields: { Code: { Type: 'String', Label: 'Code' }, Length: { Type: 'Number', Label: 'Length' }, Afloat: { Type: 'Boolean', Label: 'Afloat' } },
      })
    ).ObjectID
  })
  const update = async (...flags: string[]) => (await run('update_custom_object', '--ObjectID', ObjectID, ...flags)).Values

  test('has the type of its definition, whatever a value looks like', async () => {
    expect(await update('--FieldsToUpdate.Code', '42', '--FieldsToUpdate.Length', '7.5', '--FieldsToUpdate.Afloat', 'true')).toEqual({
      Code: '42',
      Length: 7.5,
      Afloat: true,
    })
    expect(await update('--FieldsToUpdate.Code', 'true')).toMatchObject({ Code: 'true' })
    expect(await update('--FieldsToUpdate.Code', '"quoted"')).toMatchObject({ Code: 'quoted' })
    expect(await update('--FieldsToUpdate.Length', 'null')).toMatchObject({ Length: null })
  })

  test('is filtered by in the same way', async () => {
    await update('--FieldsToUpdate.Code', '42', '--FieldsToUpdate.Length', '7')
    const found = async (...flags: string[]) => ((await run('get_many_custom_objects', ...flags)).Records as unknown[]).length
    expect(await found('--Filters.ObjectName', 'Boat', '--Filters.Code', '42', '--Filters.Length.gte', '7')).toBe(1)
    expect(await found('--Filters.Code.in', '41,42')).toBe(1)
    expect(await found('--Filters.Length.in', '6,7')).toBe(1)
    expect(await found('--Filters.Length', '8')).toBe(0)
    expect(await found('--Filters.not.Code', '42')).toBe(0)
    expect(await found('--Filters.not.Code', '7', '--Filters.not.Length.gte', '8')).toBe(1)
  })

  test('takes its first value by the type that is given with it', async () => {
    const { Values } = await run(
      'create_custom_object',
      '--ObjectName',
      'Tag',
      '--Fields.Colour.Type',
      'String',
      '--Fields.Colour.Label',
      'Colour',
      '--Fields.Colour.Value',
      '7',
    )
    expect(Values).toEqual({ Colour: '7' })
  })

  test('is taken for what it looks like by a key that may not ask', async () => {
    const user = await store.crm.users.create({ Name: 'Writer', Role: 'admin' })
    const { Key } = await store.crm.keys.create({ UserID: user.UserID, Scopes: ['write'] })
    const words = ['update_custom_object', '--ObjectID', ObjectID, '--FieldsToUpdate.Length', '3']
    expect(answerOf(await runHere(words, { env: { ...store.env, CRM_KEY: Key } })).Values).toMatchObject({ Length: 3 })
  })
})
