import { startSimulator } from 'crm-simulators'
import { simulateEspoCrm, simulateEspoCrmOnMariaDb } from 'crm-simulators/espocrm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matches } from '../../../../src/platforms/crms/engine/comparison.ts'
import type { Place } from '../../../../src/platforms/crms/engine/tables.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { narrowedTree } from '../../../../src/platforms/crms/espocrm/trees.ts'
import type { Condition, StoredRecord, Value, Where } from '../../../../src/platforms/platform.ts'
import { openingOf } from './account.ts'

const PLACES: { readonly [field: string]: Place } = {
  Name: { name: 'lastName', kind: 'text' },
  Amount: { name: 'amount', kind: 'money' },
  Owner: { name: 'assignedUserId', kind: 'id' },
  Email: { name: 'emailAddress', kind: 'email' },
}
const made = (where: Where) => narrowedTree(({ field }) => PLACES[field], where)
const name = (operator: Condition['operator'], value: Value | readonly Value[]): Condition => ({ field: 'Name', family: 'text', operator, value })
const amount = (operator: Condition['operator'], value: Value | readonly Value[]): Condition => ({ field: 'Amount', family: 'number', operator, value })

test('a negation is the opposite comparison, which finds null as well', () => {
  expect(made({ not: [amount('gt', 5)] })).toEqual({
    how: 'exactly',
    items: [
      {
        type: 'or',
        value: [
          { type: 'lessThanOrEquals', attribute: 'amount', value: '5' },
          { type: 'isNull', attribute: 'amount' },
        ],
      },
    ],
  })
  const other = (value: string) => ({
    type: 'or',
    value: [
      { type: 'notIn', attribute: 'amount', value: [value] },
      { type: 'isNull', attribute: 'amount' },
    ],
  })
  expect(made({ not: [{ any: [[amount('eq', 1)], [amount('eq', 2)]] }] })?.items).toEqual([{ type: 'and', value: [other('1'), other('2')] }])
})

test('what has no opposite there is not asked, and in an alternative nothing is', () => {
  expect(made({ not: [name('contains', 'a')] })).toBeUndefined()
  expect(made({ not: [name('eq', 'a')] })).toBeUndefined()
  expect(made({ any: [[amount('eq', 1)], [{ not: [name('contains', 'a')] }]] })).toBeUndefined()
  // Beside something else it is left out, and the engine compares it.
  expect(made({ any: [[amount('eq', 1), { not: [name('contains', 'a')] }]] })).toEqual({
    how: 'roughly',
    items: [{ type: 'equals', attribute: 'amount', value: '1' }],
  })
})

test('a field of the record behind a reference cannot be asked for', () => {
  const industry: Condition = { through: { field: 'CompanyID', type: 'Company' }, field: 'Industry', family: 'text', operator: 'eq', value: 'Retail' }
  expect(made(industry)).toBeUndefined()
  expect(made({ any: [[industry], [amount('eq', 1)]] })).toBeUndefined()
})

test('none of no alternatives holds, and an empty one always does', () => {
  expect(made({ any: [] })?.items).toEqual([{ type: 'isNull', attribute: 'id' }])
  expect(made({ any: [[], [amount('eq', 1)]] })).toEqual({ how: 'exactly', items: [] })
})

test('a zero is written so that EspoCRM does not forget it', () => {
  expect(JSON.stringify(made({ any: [[amount('eq', 0)], [amount('gt', 0)], [name('eq', '0')]] }))).not.toContain('"0","')
  expect(made({ any: [[amount('gt', 0)], [amount('eq', 0)]] })?.items).toEqual([
    {
      type: 'or',
      value: [
        { type: 'greaterThan', attribute: 'amount', value: '-0' },
        { type: 'in', attribute: 'amount', value: ['0'] },
      ],
    },
  ])
})

test('conditions that would make the address too long are not asked', () => {
  const many = Array.from({ length: 40 }, (_, at): readonly Where[] => [name('eq', `a rather long name ${at}`)])
  expect(made({ any: many })).toBeUndefined()
})

const LEADS: readonly StoredRecord[] = [
  { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', OpportunityAmount: 0, DoNotCall: true },
  { FirstName: 'Bob', LastName: 'lovelace', OpportunityAmount: 5, Status: 'Assigned', Company: 'Navy' },
  { FirstName: 'Cyd', LastName: '0', Email: 'cyd@example.com', Status: 'Dead', Company: '0' },
  { FirstName: 'Dan', LastName: 'Löwe', OpportunityAmount: 12.5, Company: 'Navy' },
]

const condition = (field: string, family: Condition['family'], operators: readonly Condition['operator'][], values: readonly Value[]) =>
  fc
    .record({ operator: fc.constantFrom(...operators), value: fc.constantFrom(...values), others: fc.array(fc.constantFrom(...values), { maxLength: 3 }) })
    .map(({ operator, value, others }): Condition => {
      const isPart = operator === 'contains' || operator === 'startsWith' || operator.startsWith('g') || operator.startsWith('l')
      const plain = isPart && value === null ? (values.find((one) => one !== null) as Value) : value
      return { field, family, operator, value: operator === 'in' ? others : plain }
    })

const TEXTS = ['eq', 'ne', 'in', 'contains', 'startsWith'] as const
const NUMBERS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'] as const
const leaf = fc.oneof(
  condition('LastName', 'text', TEXTS, ['Lovelace', 'lovelace', '0', 'Lowe']),
  condition('Company', 'text', TEXTS, ['Navy', '0', null]),
  condition('Status', 'text', TEXTS, ['Open', 'Assigned', 'New']),
  condition('Email', 'text', TEXTS, ['ada@example.com', 'cyd@example.com', null]),
  condition('OpportunityAmount', 'number', NUMBERS, [0, 5, 12.5, null]),
  condition('DoNotCall', 'boolean', ['eq', 'ne'], [true, false, null]),
)
const { tree } = fc.letrec<{ tree: Where }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ any: fc.array(fc.array(tie('tree'), { maxLength: 3 }), { maxLength: 3 }) }),
    fc.record({ not: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
  ),
}))

test.each([
  ['PostgreSQL', simulateEspoCrm],
  ['MariaDB', simulateEspoCrmOnMariaDb],
])('on %s nothing is lost, and nothing too much is found where that is said', async (_, simulate) => {
  const simulator = await startSimulator(simulate)
  const driver = await espocrm.open(openingOf(simulator))
  await driver.create('Lead', LEADS)
  const { records } = await driver.find('Lead', { where: [], size: 50 })
  expect(records).toHaveLength(LEADS.length)
  const names = (list: readonly StoredRecord[]) => list.map(({ FirstName }) => FirstName).sort()
  let asked = 0
  await fc.assert(
    fc.asyncProperty(tree, async (where) => {
      const how = driver.narrowsTree?.('Lead', where) ?? 'not'
      if (how === 'not') return
      asked++
      const wanted = names(records.filter((record) => matches(record, where)))
      const found = names((await driver.find('Lead', { where: [], trees: [where], size: 50 })).records)
      if (how === 'exactly') expect(found).toEqual(wanted)
      else expect(found).toEqual(expect.arrayContaining(wanted))
    }),
    { numRuns: 300 },
  )
  expect(asked).toBeGreaterThan(50)
  await driver.close()
  await simulator.close()
})
