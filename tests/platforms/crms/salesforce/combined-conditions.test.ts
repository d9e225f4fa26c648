import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches } from '../../../../src/platforms/crms/engine/comparison.ts'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import type { Condition, StoredRecord, Where } from '../../../../src/platforms/platform.ts'
import { account, all, create } from './account.ts'

const { open, send, requests } = account()

const TEXTS = ['a', 'A', 'b', "O'B\\", '%', 'Hot', null] as const
const NUMBERS = [0, 1, 2, null] as const
const DATES = ['2026-01-01', '2026-01-02'] as const

const FAMILIES = { text: TEXTS, number: NUMBERS, boolean: [true, false], date: DATES } as const
type Family = keyof typeof FAMILIES

const OPERATORS: { readonly [F in Family]: readonly Condition['operator'][] } = {
  text: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  number: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
  date: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
  boolean: ['eq', 'ne'],
}

/** One comparison with one of these fields, itself or behind a reference. */
function comparison(fields: { readonly [field: string]: Family }, through?: Condition['through']): fc.Arbitrary<Condition> {
  return fc.constantFrom(...Object.entries(fields)).chain(([field, family]) =>
    fc.constantFrom(...OPERATORS[family]).chain((operator) => {
      const some = FAMILIES[family] as readonly (string | number | boolean | null)[]
      const values = operator === 'eq' || operator === 'ne' || operator === 'in' ? some : some.filter((value) => value !== null)
      const value = operator === 'in' ? fc.subarray([...values]) : fc.constantFrom(...values)
      return value.map((one) => ({ ...(through && { through }), field, family, operator, value: one }) as Condition)
    }),
  )
}

function trees(leaf: fc.Arbitrary<Where>, depth = 3): fc.Arbitrary<Where> {
  if (depth === 0) return leaf
  const inner = trees(leaf, depth - 1)
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    leaf,
    list.map((not) => ({ not })),
    fc.array(list, { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
  )
}

/** What the driver finds for a tree is all that matches, and nothing else where it says so. */
async function judge(driver: CrmDriver, type: string, id: string, records: readonly StoredRecord[], where: Where, behind = new Map<unknown, StoredRecord>()) {
  const how = driver.narrowsTree?.(type, where)
  if (how === undefined || how === 'not') return
  const found = new Set((await all(driver, type, { where: [], trees: [where], size: 2000 })).records.map((record) => record[id]))
  const wanted = records.filter((record) => matches(record, where, (one, { field }) => behind.get(one[field]))).map((record) => record[id])
  expect(wanted.filter((one) => !found.has(one))).toEqual([])
  if (how === 'exactly') expect([...found].sort()).toEqual(wanted.sort())
}

describe('combined conditions', () => {
  test('find what they find in the contract, whatever is combined', async () => {
    const driver = await open()
    const values = (at: number) => ({
      LastName: `Lovelace ${at}`,
      Status: 'Open',
      Company: TEXTS[at % TEXTS.length] ?? null,
      Rating: TEXTS[(at * 3 + 5) % TEXTS.length] ?? null,
      Employees: NUMBERS[at % NUMBERS.length] ?? null,
      EmailOptOut: at % 2 === 0,
    })
    await driver.create(
      'Lead',
      Array.from({ length: 40 }, (_, at) => values(at)),
    )
    const { records } = await all(driver, 'Lead', { where: [], size: 2000 })
    expect(records).toHaveLength(40)
    const leaf = comparison({ Company: 'text', Rating: 'text', Employees: 'number', EmailOptOut: 'boolean' })
    await fc.assert(
      fc.asyncProperty(trees(leaf), (where) => judge(driver, 'Lead', 'LeadID', records, where)),
      { numRuns: 150 },
    )
  })

  test('follow references as the contract does, also those that lead nowhere', async () => {
    const driver = await open()
    const companies: StoredRecord[] = []
    for (let at = 0; at < 12; at++) {
      const record = { CompanyName: `C ${at}`, Industry: TEXTS[at % TEXTS.length] ?? null, Employees: NUMBERS[at % NUMBERS.length] ?? null }
      companies.push({ ...record, CompanyID: await create(driver, 'Company', record) })
    }
    await driver.create(
      'Opportunity',
      Array.from({ length: 30 }, (_, at) => ({
        OpportunityName: `Deal ${at}`,
        Stage: 'Prospecting',
        CloseDate: DATES[at % 2] as string,
        CompanyID: at % 4 === 0 ? null : ((companies[at % 12] as StoredRecord).CompanyID as string),
      })),
    )
    const { records } = await all(driver, 'Opportunity', { where: [], size: 2000 })
    const behind = new Map<unknown, StoredRecord>(companies.map((company) => [company.CompanyID, company]))
    const through = { field: 'CompanyID', type: 'Company' }
    const leaf = fc.oneof(comparison({ Industry: 'text', Employees: 'number' }, through), comparison({ CloseDate: 'date' }))
    await fc.assert(
      fc.asyncProperty(trees(leaf, 2), (where) => judge(driver, 'Opportunity', 'OpportunityID', records, where, behind)),
      { numRuns: 120 },
    )
    const industry = { through, field: 'Employees', family: 'number', operator: 'gte', value: 1 } as const
    expect(driver.narrowsTree?.('Opportunity', industry)).toBe('exactly')
    requests.length = 0
    await driver.find('Opportunity', { where: [], trees: [industry], size: 10 })
    expect(requests.map(({ query }) => query.get('q'))).toEqual([expect.stringContaining('WHERE Account.NumberOfEmployees >= 1')])
  })

  test('what Salesforce cannot tell is not left to it', async () => {
    const driver = await open()
    const name = (operator: Condition['operator'], value: Condition['value']): Condition => ({ field: 'LastName', family: 'text', operator, value })
    expect(driver.narrowsTree?.('Lead', { not: [name('contains', 'a')] })).toBe('not')
    expect(driver.narrowsTree?.('Lead', { any: [[name('eq', 'a')], [name('ne', 'a')]] })).toBe('not')
    expect(driver.narrowsTree?.('Lead', { any: [[name('eq', 'a')], [name('startsWith', 'a')]] })).toBe('roughly')
    // The contact of an opportunity has no relationship to follow, and a checkbox of no record is no false one.
    const contact = { field: 'ContactID', type: 'Contact' }
    expect(driver.narrowsTree?.('Opportunity', { ...name('eq', 'a'), through: contact })).toBe('not')
    expect(driver.narrowsTree?.('Case', { ...name('eq', 'a'), through: contact })).toBe('roughly')
    const opted = { through: contact, field: 'HasOptedOutOfEmail', family: 'boolean', operator: 'eq' } as const
    expect(driver.narrowsTree?.('Case', { ...opted, value: true })).toBe('exactly')
    expect(driver.narrowsTree?.('Case', { ...opted, value: false })).toBe('not')
    expect(driver.narrowsTree?.('Case', { not: [{ ...opted, value: true }] })).toBe('not')
  })

  test('converted leads are there where one of several conditions asks for them', async () => {
    const driver = await open()
    const id = await create(driver, 'Lead', { LastName: 'Lovelace', Status: 'Open' })
    const { id: done } = await send<{ id: string }>('POST', '/sobjects/Lead', { LastName: 'Hopper', Company: 'Navy', IsConverted: true })
    const status: Condition = { field: 'Status', family: 'text', operator: 'in', value: ['Open'] }
    const other: Condition = { field: 'LastName', family: 'text', operator: 'ne', value: 'x' }
    const ids = async (where: Where) => (await driver.find('Lead', { where: [], trees: [where], size: 10 })).records.map(({ LeadID }) => LeadID)
    expect(driver.narrowsTree?.('Lead', { any: [[status], [other]] })).toBe('roughly')
    expect(await ids({ any: [[status], [other]] })).toEqual([id, done])
    expect(await ids({ not: [status] })).toEqual([])
  })
})

test('summaries take them too', async () => {
  const driver = await open()
  for (const Employees of [1, 5, 9]) await create(driver, 'Lead', { LastName: `L ${Employees}`, Status: 'Open', Employees })
  const employees = (operator: Condition['operator'], value: number): Condition => ({ field: 'Employees', family: 'number', operator, value })
  const tree: Where = { any: [[employees('lt', 2)], [employees('gt', 8)]] }
  expect(driver.narrowsTree?.('Lead', tree)).toBe('exactly')
  const tally = await driver.tally?.('Lead', { where: [], trees: [tree], today: '2026-01-01', soon: '2026-02-01' })
  expect(tally?.states).toMatchObject([{ state: 'Open', count: 2 }])
})
