import { expect, test } from 'vitest'
import { overridden } from '../../../../src/platforms/crms/engine/overrides.ts'
import type { Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { fitted } from '../../../../src/platforms/crms/espocrm/fit.ts'
import { STOCK } from '../../../../src/platforms/crms/espocrm/metadata.ts'
import { espoTables } from '../../../../src/platforms/crms/espocrm/tables.ts'

const BASE: Tables = espoTables({})
const statusOf = (options: readonly string[], first: string, type = 'Case') => {
  const defs = { ...STOCK[type], status: { type: 'enum', options, default: first }, description: { type: 'text' }, ...COMMON }
  return fitted({ [type]: BASE[type] as never }, BASE, { [type]: { fields: defs, links: {} } })[type]?.fields.Status
}
const COMMON = { assignedUser: { type: 'link' }, createdAt: { type: 'datetime' }, modifiedAt: { type: 'datetime' } }

test('an account that has our words itself keeps them', () => {
  expect(statusOf(['New', 'Open', 'In Progress', 'Closed'], 'New')).toMatchObject({
    values: {},
    allowed: ['New', 'Open', 'In Progress', 'Closed'],
    closed: true,
  })
})

test('an account that begins otherwise is begun in as it does', () => {
  expect(statusOf(['Received', 'Assigned', 'Closed'], 'Received')).toMatchObject({ values: { New: 'Received', Open: 'Assigned' }, allowed: ['Closed'] })
})

test('without metadata an account is taken to be as installed', () => {
  const tables = fitted(BASE, BASE, { Lead: null, Opportunity: null, Case: null, Campaign: null, Note: null })
  expect(tables.Lead?.fields.FirstName).toMatchObject({ max: 100 })
  expect(tables.Opportunity?.fields.Amount).toMatchObject({ required: true, defaultValue: 0 })
  expect(tables.Case?.fields.Status).toMatchObject({ closed: true, required: true })
})

test('what is configured is not overridden by what is read', () => {
  const said = { Lead: { fields: { FirstName: { max: 40 }, Status: { closed: false, values: { Open: 'Recycled' } } } } }
  const tables = fitted(overridden(BASE, said, [], ''), BASE, {})
  expect(tables.Lead?.fields.FirstName).toMatchObject({ max: 40 })
  expect(tables.Lead?.fields.Status).toMatchObject({ closed: false, values: { Open: 'Recycled' } })
})

test('an amount that need not be there may be left out', () => {
  const defs = { ...STOCK.Opportunity, amount: { type: 'currency' }, ...COMMON }
  const tables = fitted({ Opportunity: BASE.Opportunity as never }, BASE, { Opportunity: { fields: defs, links: {} } })
  expect(tables.Opportunity?.fields.Amount).toEqual({ name: 'amount', kind: 'money', digits: 14 })
})

test('a whole number is one, and every other number has 14 digits', () => {
  const said = { Opportunity: { fields: { Chance: { name: 'probability', kind: 'number' }, Weight: { name: 'weight', kind: 'number' } } } }
  const defs = { ...STOCK.Opportunity, probability: { type: 'int' }, weight: { type: 'float' }, ...COMMON }
  const { Opportunity } = fitted({ Opportunity: overridden(BASE, said, [], '').Opportunity as never }, BASE, { Opportunity: { fields: defs, links: {} } })
  expect([Opportunity?.fields.Chance, Opportunity?.fields.Weight]).toMatchObject([{ decimals: 0 }, { digits: 14 }])
})

test('what EspoCRM does with addresses and numbers is remarked, the latter where its settings say so', () => {
  const remarks = (settings: object) => {
    const { Email, Phone } = fitted(BASE, BASE, {}, { ...settings }).Lead?.fields ?? {}
    return [Email?.remark, Phone?.remark]
  }
  expect(remarks({ phoneNumberInternational: true })).toEqual([expect.stringContaining('lower case'), expect.stringContaining('+ and the country')])
  expect(remarks({ phoneNumberInternational: false })).toEqual([expect.stringContaining('lower case'), undefined])
})
