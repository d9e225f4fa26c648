import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Crm } from '../../src/contract/client/client.ts'
import { FIELD_KINDS } from '../../src/contract/fields.ts'
import { recordType } from '../../src/contract/operations.ts'
import { combinedOn, filtersOn, orderOn, VALUES } from '../support/arbitrary-filters.ts'
import { inProcess } from '../support/in-process.ts'
import { runs } from '../support/lane.ts'
import { type Families, type Row, search } from '../support/oracle.ts'
import { SOME_STORES, STORES } from '../support/stores.ts'

const SIZE = 60

/** The families of the fields that a record type can be filtered by. */
function familiesOf(type: string, ...without: string[]): Families {
  const fields = Object.entries(recordType(type).fields).filter(([name, { access }]) => access !== 'secret' && !without.includes(name))
  return Object.fromEntries(fields.flatMap(([name, { kind }]) => (FIELD_KINDS[kind] ? [[name, FIELD_KINDS[kind]]] : [])))
}

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: SIZE, seed: 7 })
const said = VALUES.text.map((text) => `x${text}`) as fc.Arbitrary<string>
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })

const LEADS = some(
  fc.record({ FirstName: said, LastName: said, Email: optional(fc.constantFrom('a@b', 'A@b', 'é@b')), Phone: optional(VALUES.text as fc.Arbitrary<string>) }),
)
const DEALS = some(
  fc.record({ OpportunityName: said, Stage: said, CloseDate: VALUES.date as fc.Arbitrary<string>, Amount: optional(VALUES.number as fc.Arbitrary<number>) }),
)
/** Some texts differ only after hundreds of letters. */
const long = fc.tuple(fc.constantFrom('', 'p'.repeat(63), 'p'.repeat(200), `${'😀'.repeat(200)}p`), said).map((parts) => parts.join(''))
const CASES = some(fc.record({ Subject: said, Description: long, Status: optional(said) }))

const DEFINITIONS = { Text: 'String', Count: 'Number', Flag: 'Boolean', Day: 'Date', At: 'DateTime' } as const
const FAMILY_OF = { Text: 'text', Count: 'number', Flag: 'boolean', Day: 'date', At: 'timestamp' } as const
const THINGS = some(fc.record(Object.fromEntries(Object.entries(FAMILY_OF).map(([name, family]) => [name, optional(VALUES[family])]))))

/** Random filters and orders, read in random pages, against the oracle. */
async function agrees(
  crm: Crm,
  list: string,
  id: string,
  rows: readonly Row[],
  families: Families,
  pinned: Row = {},
  { cases = runs(400), limits = [1, 7, 20, 1000], filters: searched = filtersOn(families, rows), orders = families } = {},
): Promise<void> {
  const asked = fc.record({ filters: searched, order: orderOn(orders), Limit: fc.constantFrom(...limits) })
  await fc.assert(
    fc.asyncProperty(asked, async ({ filters, order, Limit }) => {
      const found: unknown[] = []
      let Cursor: string | null = null
      do {
        const input: object = { Filters: { ...filters, ...pinned }, OrderBy: `${order.field} ${order.descending ? 'desc' : 'asc'}`, Limit, Cursor }
        const page = (await crm.call(list, input)) as { Records: Row[]; NextCursor: string | null }
        found.push(...page.Records.map((record) => record[id]))
        Cursor = page.NextCursor
      } while (Cursor !== null)
      expect(found).toEqual(search(rows, filters, families, order, id).map((row) => row[id]))
    }),
    { numRuns: cases },
  )
}

async function admin(open: (typeof SOME_STORES)[number]['open']) {
  const connection = await inProcess(await open())
  return { crm: connection.signIn(connection.adminKey), close: connection.close }
}

test.each(SOME_STORES)('on $platform, random filters and orders on leads find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  const rows: Row[] = []
  for (const draft of LEADS) rows.push((await crm.leads.create(draft)) as unknown as Row)
  await agrees(crm, 'get_many_leads', 'LeadID', rows, familiesOf('Lead'))
  await close()
})

test.each(SOME_STORES)('on $platform, random filters and orders on thousands of leads find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  const letter = fc.constantFrom('a', 'b', 'B', 'c')
  const drafts = fc.sample(fc.record({ FirstName: fc.constantFrom('Ada', 'ADA', 'Grace'), LastName: letter, Phone: optional(letter) }), {
    numRuns: 2_500,
    seed: 7,
  })
  const rows = (await Promise.all(drafts.map((draft) => crm.leads.create(draft)))) as unknown as Row[]
  await agrees(crm, 'get_many_leads', 'LeadID', rows, familiesOf('Lead', 'Email'), {}, { cases: runs(150), limits: [400, 1000] })
  await close()
})

test.each(SOME_STORES)('on $platform, random filters and orders on opportunities find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  const rows: Row[] = []
  for (const draft of DEALS) rows.push((await crm.opportunities.create(draft)) as unknown as Row)
  await agrees(crm, 'get_many_opportunities', 'OpportunityID', rows, familiesOf('Opportunity'))
  await close()
})

test.each(SOME_STORES)('on $platform, random filters and orders on cases find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  const rows: Row[] = []
  for (const draft of CASES) rows.push((await crm.cases.create(draft)) as unknown as Row)
  await agrees(crm, 'get_many_cases', 'CaseID', rows, familiesOf('Case'))
  await close()
})

test.each(SOME_STORES)('on $platform, random filters and orders on custom objects find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  const rows: Row[] = []
  for (const values of THINGS) {
    const Fields = Object.fromEntries(Object.entries(DEFINITIONS).map(([name, Type]) => [name, { Type, Label: name, Value: values[name] ?? null }]))
    const { Values, Fields: _, ...rest } = await crm.customObjects.create({ ObjectName: 'Thing', Fields })
    rows.push({ ...rest, ...Values } as unknown as Row)
  }
  // Records of another object, which no filter on a Thing may find.
  for (const Value of [1, 10]) await crm.customObjects.create({ ObjectName: 'Other', Fields: { Count: { Type: 'Number', Label: 'Count', Value } } })
  await agrees(crm, 'get_many_custom_objects', 'ObjectID', rows, { ...FAMILY_OF, ...familiesOf('CustomObject', 'ObjectName') }, { ObjectName: 'Thing' })
  await close()
})

/** A field of one's own for each family, without and with an index. */
const OWN = { OwnText: 'text', OwnCount: 'number', OwnFlag: 'boolean', OwnDay: 'date', OwnAt: 'timestamp' } as const
const OWN_FAMILIES: Families = Object.fromEntries(Object.entries(OWN).flatMap(([name, family]) => [name, `${name}Indexed`].map((one) => [one, family])))
/** But for those between 0 and the epsilon of floating point, which the driver of Node 20 binds as 0. */
const FINE = fc.oneof(
  VALUES.number,
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value < 0 || value >= Number.EPSILON),
)
const valuesOf = (family: (typeof OWN)[keyof typeof OWN]) => optional(family === 'number' ? FINE : family === 'text' ? long : VALUES[family])
const OWN_VALUES = some(fc.record(Object.fromEntries(Object.entries(OWN_FAMILIES).map(([name, family]) => [name, valuesOf(family as 'text')]))))

async function defineOwn(crm: Crm, RecordType: string): Promise<void> {
  for (const [name, Kind] of Object.entries({ ...OWN, OwnText: 'longText' } as const))
    for (const Indexed of [false, true]) await crm.fields.define({ RecordType, FieldName: Indexed ? `${name}Indexed` : name, Kind, Indexed })
}

test.each(STORES)('on $platform, random filters and orders on fields of one’s own find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  await defineOwn(crm, 'Company')
  const rows: Row[] = []
  for (const [i, values] of OWN_VALUES.entries()) rows.push((await crm.call('create_company', { CompanyName: `C${i}`, ...values })) as Row)
  await agrees(crm, 'get_many_companies', 'CompanyID', rows, OWN_FAMILIES)
  await close()
})

test.each(STORES)('on $platform, combined filters, also of records behind references, find what the oracle finds', async ({ open }) => {
  const { crm, close } = await admin(open)
  await defineOwn(crm, 'Company')
  await crm.fields.define({ RecordType: 'Contact', FieldName: 'PartnerID', Kind: 'reference', RefersTo: 'Company' })
  const companies: Row[] = []
  for (const [i, values] of OWN_VALUES.slice(0, 12).entries())
    companies.push((await crm.call('create_company', { CompanyName: `C${i}`, Industry: `I${i % 3}`, AnnualRevenue: i % 4 || null, ...values })) as Row)
  const behind = { CompanyName: 'text', Industry: 'text', AnnualRevenue: 'number', ...OWN_FAMILIES } as Families
  const seen = (prefix: string, company: Row | undefined): Row =>
    Object.fromEntries(Object.keys(behind).map((name) => [`${prefix}.${name}`, company?.[name] ?? null]))
  const rows: Row[] = []
  for (const [i, { FirstName, LastName }] of LEADS.entries()) {
    const [company, partner] = [companies[i % 15], companies[(i * 7) % 20]]
    const draft = { FirstName, LastName, CompanyID: company?.CompanyID ?? null, PartnerID: partner?.CompanyID ?? null }
    rows.push({
      ...((await crm.call('create_contact', draft as object as { LastName: string })) as unknown as Row),
      ...seen('Company', company),
      ...seen('Partner', partner),
    })
  }
  const own = { ...familiesOf('Contact'), PartnerID: 'text' } as Families
  const paths = Object.fromEntries(['Company', 'Partner'].flatMap((prefix) => Object.entries(behind).map(([name, family]) => [`${prefix}.${name}`, family])))
  const families: Families = { ...own, ...paths }
  await agrees(crm, 'get_many_contacts', 'ContactID', rows, families, {}, { cases: runs(300), filters: combinedOn(families, rows, 3), orders: own })
  await close()
})
