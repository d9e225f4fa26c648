import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compared, matches, sorting } from '../../../../src/platforms/crms/engine/comparison.ts'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { account, all, create, good } from './account.ts'

const { open, simulator, requests } = account()

const LAST_NAMES = [
  "O'Brien",
  "o'brien",
  'back\\slash',
  '100%',
  '100_',
  '"quoted"',
  'line\nbreak',
  '東京',
  'é',
  'e\u0301',
  'ada',
  'Ada',
  "'",
  '\\',
  "\\'",
  '@{x}',
]

async function leads(driver: CrmDriver): Promise<StoredRecord[]> {
  const made = await driver.create(
    'Lead',
    LAST_NAMES.map((LastName, at) => ({
      LastName,
      FirstName: at % 3 === 0 ? null : LastName,
      Phone: at % 2 === 0 ? null : LastName,
      Status: ['Open', 'open', 'Contacted', 'Working - Contacted'][at % 4] as string,
    })),
  )
  return driver.get(
    'Lead',
    made.map((each) => (good(each) as { id: string }).id),
  )
}

describe('conditions', () => {
  test('what is left to Salesforce lets through everything that the contract does, and nothing else where it says so', async () => {
    const driver = await open()
    const records = await leads(driver)
    const word = fc.oneof(
      fc.constantFrom(...LAST_NAMES, 'Open', 'open', 'Contacted'),
      fc.constantFrom("'", '\\', '%', '_', 'a', 'A', "'b", '0%', '0_', '\n', ' '),
    )
    const condition: fc.Arbitrary<Condition> = fc
      .constantFrom('FirstName', 'LastName', 'Phone', 'Status')
      .chain((field) =>
        fc
          .constantFrom('eq', 'ne', 'in', 'contains', 'startsWith')
          .chain((operator) =>
            (operator === 'in' ? fc.array(fc.option(word), { maxLength: 5 }) : operator === 'eq' || operator === 'ne' ? fc.option(word) : word).map(
              (value) => ({ field, family: 'text', operator, value }) as Condition,
            ),
          ),
      )
    await fc.assert(
      fc.asyncProperty(condition, async (one) => {
        const how = driver.narrows('Lead', one)
        if (how === 'not') return
        const found = (await all(driver, 'Lead', { where: [one], size: 2000 })).records.map(({ LeadID }) => LeadID)
        const wanted = records.filter((record) => matches(record, one)).map(({ LeadID }) => LeadID)
        if (how === 'exactly') expect([...found].sort()).toEqual([...wanted].sort())
        else expect(found).toEqual(expect.arrayContaining(wanted))
      }),
      { numRuns: 150 },
    )
  })

  test('amounts and days compare as the contract says', async () => {
    const driver = await open()
    const values = [null, -1, 0, 0.1, 12.5, 1000, 99_999.99]
    const made = await driver.create(
      'Opportunity',
      values.map((Amount, at) => ({ OpportunityName: `Deal ${at}`, Stage: 'Prospecting', CloseDate: `2026-0${at + 1}-15`, Amount })),
    )
    const records = await driver.get(
      'Opportunity',
      made.map((each) => (good(each) as { id: string }).id),
    )
    const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const
    const conditions = operators.flatMap((operator): Condition[] => [
      ...[0, 0.1, 12.5, 12.51].map((value) => ({ field: 'Amount', family: 'number', operator, value }) as const),
      ...['2026-03-15', '2026-03-16'].map((value) => ({ field: 'CloseDate', family: 'date', operator, value }) as const),
    ])
    conditions.push(
      { field: 'Amount', family: 'number', operator: 'in', value: [null, 0.1] },
      { field: 'Amount', family: 'number', operator: 'eq', value: null },
    )
    for (const one of conditions) {
      expect(driver.narrows('Opportunity', one)).toBe('exactly')
      const found = await driver.find('Opportunity', { where: [one], size: 2000 })
      const wanted = records.filter((record) => matches(record, one)).length
      expect(found.records, JSON.stringify(one)).toHaveLength(wanted)
      expect(await driver.count('Opportunity', { where: [one] })).toBe(wanted)
    }
  })

  test('a list too long for an address travels in a body', async () => {
    const driver = await open()
    const owner = (await leads(driver))[0]?.OwnerID as string
    const owners = [owner, ...Array.from({ length: 600 }, (_, at) => `0059z0000000${String(at).padStart(3, '0')}AAA`)]
    requests.length = 0
    expect(await driver.count('Lead', { owners, where: [] })).toBe(LAST_NAMES.length)
    expect(requests.map(({ path }) => path)).toEqual([expect.stringMatching(/\/composite$/)])
    const { records } = await all(driver, 'Lead', { owners, where: [], size: 5, order: { field: 'CreatedDate', descending: true } })
    expect(records).toHaveLength(LAST_NAMES.length)
    expect(await driver.count('Lead', { owners: owners.slice(1), where: [] })).toBe(0)
    expect(await driver.count('Lead', { owners: ['nobody', "x' OR Id != '"], where: [] })).toBe(0)
  })

  test('closed cases are left out by Salesforce, and a word of a picklist is written in the letters it has there', async () => {
    const driver = await open()
    const statuses = ['Closed', 'closed', 'New', 'Own status', 'own Status']
    for (const Status of statuses) await create(driver, 'Case', { Subject: Status, Status })
    const differs = (value: string): Condition => ({ field: 'Status', family: 'text', operator: 'ne', value })
    const subjects = async (value: string) => (await driver.find('Case', { where: [differs(value)], size: 5 })).records.map(({ Subject }) => Subject)
    expect(driver.narrows('Case', differs('Closed'))).toBe('exactly')
    expect(await subjects('Closed')).toEqual(['New', 'Own status', 'own Status'])
    expect(['closed', 'Own status', 'New '].map((value) => driver.narrows('Case', differs(value)))).toEqual(['not', 'not', 'not'])
    const { records } = await all(driver, 'Case', { where: [], size: 10 })
    expect(records.map(({ Status }) => Status)).toEqual(['Closed', 'Closed', 'New', 'Own status', 'own Status'])
  })

  test('revisions and texts that cannot be searched are left to us', async () => {
    const driver = await open()
    expect(driver.narrows('Lead', { field: 'Revision', family: 'number', operator: 'eq', value: 1 })).toBe('not')
    expect(driver.narrows('Case', { field: 'Description', family: 'text', operator: 'contains', value: 'x' })).toBe('not')
  })
})

async function deals(driver: CrmDriver): Promise<StoredRecord[]> {
  for (let at = 0; at < 30; at += 10) {
    await driver.create(
      'Opportunity',
      Array.from({ length: 10 }, (_, i) => ({
        OpportunityName: `Deal ${at + i}`,
        Stage: 'Prospecting',
        CloseDate: '2026-12-31',
        Amount: (at + i) % 5 === 0 ? null : (at + i) % 4,
      })),
    )
    simulator().advance(1000)
  }
  return (await all(driver, 'Opportunity', { where: [], size: 2000 })).records
}

describe('pages', () => {
  test.each([
    ['CreatedDate', true],
    ['CreatedDate', false],
    ['Amount', true],
    ['Amount', false],
    ['OpportunityID', true],
    ['OpportunityID', false],
  ])('by %s, descending %s: every record comes once and in order, however small the pages are', async (field, descending) => {
    const driver = await open()
    const records = await deals(driver)
    const order = { field, descending }
    expect(driver.orders('Opportunity', order)).toBe(true)
    const sorted = records.toSorted(sorting(order, 'OpportunityID')).map((record) => record.OpportunityID)
    for (const size of [1, 7, 29, 30, 31, 2000]) {
      const found = await all(driver, 'Opportunity', { where: [], order, size })
      expect(found.records.map((record) => record.OpportunityID)).toEqual(sorted)
      expect(found.pages).toBe(size > 30 ? 1 : Math.floor(30 / size) + 1)
    }
    for (const value of [null, 2, ...records.slice(0, 1).map((record) => record[field] as string)]) {
      if (field !== 'Amount' && typeof value !== 'string') continue
      const found = await all(driver, 'Opportunity', { where: [], order, from: { value }, size: 4 })
      const wanted = records.filter((record) => (descending ? -1 : 1) * compared(record[field] as string, value) >= 0)
      expect(found.records).toHaveLength(wanted.length)
    }
  })

  test('texts are not sorted by Salesforce, which sorts by a language', async () => {
    const driver = await open()
    expect(driver.orders('Lead', { field: 'LastName', descending: false })).toBe(false)
    expect(driver.orders('Lead', { field: 'Revision', descending: false })).toBe(false)
  })

  test('large searches follow the cursor of Salesforce, and go on beyond the last record when it is gone', async () => {
    const driver = await open()
    for (let at = 0; at < 2100; at += 700) {
      await driver.create(
        'Lead',
        Array.from({ length: 700 }, (_, i) => ({ FirstName: 'Ada', LastName: `Lovelace ${at + i}`, Status: 'Open' })),
      )
    }
    const asked = { where: [], order: { field: 'CreatedDate', descending: true }, size: 2000 } as const
    const { records, pages } = await all(driver, 'Lead', asked)
    expect(new Set(records.map(({ LeadID }) => LeadID)).size).toBe(2100)
    // Long texts, such as Description, make its pages shorter.
    expect(pages).toBe(3)
    expect(requests.some(({ path }) => /\/query\/\w+-\d+$/.test(path))).toBe(true)
    simulator().faults.add('stale-cursor=1')
    const again = await all(driver, 'Lead', asked)
    expect(again.records.map(({ LeadID }) => LeadID)).toEqual(records.map(({ LeadID }) => LeadID))
    for (const next of ['/simulator', '//evil.example/services/data/x', '/services/data/../../simulator/reset?x']) {
      await driver.find('Lead', { ...asked, cursor: JSON.stringify({ next }) })
      expect(requests.at(-1)?.path, next).toMatch(/\/query$/)
    }
  })

  test('only the fields that are wanted are read', async () => {
    const driver = await open()
    await create(driver, 'Case', { Subject: 'Jam', Description: 'Sticks', Status: 'New' })
    const { records } = await driver.find('Case', { where: [], fields: ['Status'], order: { field: 'CreatedDate', descending: true }, size: 10 })
    expect(Object.keys(records[0] as object).sort()).toEqual(['CaseID', 'CreatedDate', 'Status'])
    expect(requests.at(-1)?.query.get('q')).not.toContain('Description')
  })
})

describe('figures', () => {
  test('groups are those that one would count', async () => {
    const driver = await open()
    const stages = ['Prospecting', 'Negotiation', 'Closed Won', 'Own stage']
    const drafts = Array.from({ length: 40 }, (_, at) => ({
      OpportunityName: `Deal ${at}`,
      Stage: stages[at % 4] as string,
      CloseDate: ['2026-05-31', '2026-06-01', '2026-06-30', '2026-07-02'][at % 3] as string,
      Amount: at % 7 === 0 ? null : at + 0.01,
    }))
    await driver.create('Opportunity', drafts.slice(0, 20))
    simulator().advance(40 * 86_400_000)
    await driver.create('Opportunity', drafts.slice(20))
    const where: Condition[] = [{ field: 'Amount', family: 'number', operator: 'lt', value: 35 }]
    const tally = await driver.tally?.('Opportunity', { where, today: '2026-06-01', soon: '2026-07-01' })
    const { records } = await all(driver, 'Opportunity', { where, size: 2000 })
    const inStage = (stage: string) => records.filter(({ Stage }) => Stage === stage)
    const cents = (some: readonly StoredRecord[]) => some.reduce((sum, { Amount }) => sum + BigInt(Math.round((Amount as number) * 100)) * 100n, 0n)
    expect(
      tally?.states.map(({ state, count, amounts, amount }) => ({ state, count, amounts, amount })).toSorted((a, b) => compared(a.state, b.state)),
    ).toEqual(stages.toSorted().map((state) => ({ state, count: inStage(state).length, amounts: inStage(state).length, amount: cents(inStage(state)) })))
    expect(tally?.months.reduce((sum, { count }) => sum + count, 0)).toBe(records.length)
    expect(tally?.months).toHaveLength(2)
    const overdue = records.filter(({ CloseDate }) => (CloseDate as string) < '2026-06-01')
    expect(tally?.due.filter(({ when }) => when === 'overdue').reduce((sum, { amount }) => sum + amount, 0n)).toBe(cents(overdue))
    const soon = records.filter(({ CloseDate }) => (CloseDate as string) >= '2026-06-01' && (CloseDate as string) <= '2026-07-01')
    expect(tally?.due.filter(({ when }) => when === 'soon').reduce((sum, { count }) => sum + count, 0)).toBe(soon.length)
  })

  test('leads and cases have no amounts and no due dates', async () => {
    const driver = await open()
    await create(driver, 'Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })
    const tally = await driver.tally?.('Lead', { where: [], today: '2026-06-01', soon: '2026-07-01' })
    expect(tally).toMatchObject({ states: [{ state: 'Open', count: 1, amounts: 0, amount: 0n }], due: [] })
  })

  test('more groups than Salesforce tells are none', async () => {
    const driver = await open()
    for (let at = 0; at < 2001; at += 667) {
      await driver.create(
        'Lead',
        Array.from({ length: 667 }, (_, i) => ({ FirstName: 'Ada', LastName: 'Lovelace', Status: `Status ${at + i}` })),
      )
    }
    expect(await driver.tally?.('Lead', { where: [], today: '2026-06-01', soon: '2026-07-01' })).toBeUndefined()
  })
})
