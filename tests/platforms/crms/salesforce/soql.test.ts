import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Table } from '../../../../src/platforms/crms/engine/tables.ts'
import type { SalesforcePlace } from '../../../../src/platforms/crms/salesforce/codec.ts'
import { narrowed } from '../../../../src/platforms/crms/salesforce/conditions.ts'
import { columnsOf, selection } from '../../../../src/platforms/crms/salesforce/selection.ts'
import { day, like, moment, numeral, quoted } from '../../../../src/platforms/crms/salesforce/soql.ts'
import { TABLES } from '../../../../src/platforms/crms/salesforce/tables.ts'
import type { Condition } from '../../../../src/platforms/platform.ts'
import { isQueryValid, parseQuery } from './account.ts'

const HOSTILE = [
  "O'Brien",
  "'",
  "\\'",
  '\\',
  "\\\\'",
  "' OR Name != '",
  "\\' OR Id != null --",
  'line\nbreak\r\ttab\b\f',
  '"quoted"',
  '%_\\%\\_',
  '\u0001\u001f\u007f\u0085\u2028\u2029',
  '東京 👩🏽‍💻 e\u0301',
  '{} @{query.records} :bind',
  ' spaced ',
]

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("'", '\\', '"', '%', '_', '\n', 'a', '\u2028', ' ') }),
)

/** What a text in quotes stands for, by the rules that Salesforce gives. */
function meant(literal: string): string {
  const meanings: { [code: string]: string } = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
  const body = literal.slice(1, -1)
  expect(body).not.toMatch(/(?<!\\)(?:\\\\)*'/)
  return body.replace(/\\(u[0-9a-f]{4}|.)/g, (_, code: string) =>
    code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (meanings[code] ?? code),
  )
}

/** The only literal of a query with one condition, as a parser that others wrote has read it. */
function literalIn(soql: string): string {
  expect(isQueryValid(soql), soql).toBe(true)
  const where = parseQuery(soql).where as { left: { value: string }; right?: unknown }
  expect(where.right).toBeUndefined()
  return where.left.value
}

const spelled = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

describe('texts', () => {
  test('no text leaves its quotes, and each is read back as it was', () => {
    fc.assert(
      fc.property(text, (value) => {
        const literal = literalIn(`SELECT Id FROM Lead WHERE LastName = ${quoted(value)}`)
        expect(literal).toBe(quoted(value))
        expect(meant(literal)).toBe(value)
      }),
      { numRuns: 300 },
    )
  })

  test('a pattern matches every text that holds the words', () => {
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (before, words, after, begins) => {
        const literal = literalIn(`SELECT Id FROM Lead WHERE LastName LIKE ${like(words, begins)}`)
        const pattern = literal
          .slice(1, -1)
          .replace(/\\?[\s\S]/gu, (part) => (part === '%' ? '[\\s\\S]*' : part === '_' ? '[\\s\\S]' : spelled(part.replace(/^\\/, ''))))
        expect(`${begins ? '' : before}${words}${after}`).toMatch(new RegExp(`^${pattern}$`, 'iu'))
      }),
      { numRuns: 300 },
    )
  })

  test('words that are no wildcards stay what they are', () => {
    expect(like('100%_a', false)).toBe("'%100\\%\\_a%'")
    expect(like("O'Brien", true)).toBe("'O\\'Brien%'")
    expect(like('a\\b', false)).toBe("'%a%b%'")
  })
})

test('numbers, days and moments are written so that Salesforce reads them, or not at all', () => {
  expect([0, -0, 1.5, -12.25, 999_999_999_999_999, 0.0001].map(numeral)).toEqual(['0', '0', '1.5', '-12.25', '999999999999999', '0.0001'])
  expect([1e21, 1e-7, 5e-324, Number.MAX_VALUE].map(numeral)).toEqual([undefined, undefined, undefined, undefined])
  expect(['2026-12-31', '0001-01-01', '9999-12-31'].map(day)).toEqual(['2026-12-31', undefined, undefined])
  expect(moment(Date.parse('2026-01-01T00:00:00.000Z'))).toBe('2026-01-01T00:00:00Z')
  expect([Date.parse('2026-01-01T00:00:00.001Z'), Number.NaN, 8.65e15, Date.parse('9999-01-01T00:00:00Z')].map(moment)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

const EXTRA: Table = {
  object: 'Lead',
  fixed: { LeadSource: "Partner's", IsConverted: false },
  fields: {
    ...TABLES.Lead?.fields,
    Score: { name: 'Score__c', kind: 'number', label: 'Score' },
    Seats: { name: 'Seats__c', kind: 'integer', label: 'Seats' },
    Opted: { name: 'Opted__c', kind: 'boolean', label: 'Opted' },
    Due: { name: 'Due__c', kind: 'date', label: 'Due' },
    Memo: { name: 'Memo__c', kind: 'longText', label: 'Memo', filters: false },
    Gone: null,
  },
}

const VALUES = {
  text: fc.oneof(text, fc.constant('Open')),
  number: fc.oneof(fc.double({ noNaN: true }), fc.integer()),
  date: fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }).map((date) => date.toISOString().slice(0, 10)),
  timestamp: fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }).map((date) => date.toISOString()),
  boolean: fc.boolean(),
} as const

const FIELDS = {
  FirstName: 'text',
  Status: 'text',
  OwnerID: 'text',
  LeadID: 'text',
  Memo: 'text',
  Score: 'number',
  Seats: 'number',
  Opted: 'boolean',
  Due: 'date',
  CreatedDate: 'timestamp',
} as const

const OPERATORS = {
  text: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  number: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
  date: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
  timestamp: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
  boolean: ['eq', 'ne'],
} as const

const condition: fc.Arbitrary<Condition> = fc.constantFrom(...(Object.entries(FIELDS) as [string, keyof typeof VALUES][])).chain(([field, family]) =>
  fc.constantFrom(...OPERATORS[family]).chain((operator) => {
    const value: fc.Arbitrary<string | number | boolean> = VALUES[family]
    const operand = operator === 'in' ? fc.array(fc.option(value), { maxLength: 30 }) : operator === 'eq' || operator === 'ne' ? fc.option(value) : value
    return operand.map((one) => ({ field, family, operator, value: one }) as Condition)
  }),
)

test('whatever is asked for, the query is one that others can read', () => {
  const order = fc.record({ field: fc.constantFrom('CreatedDate', 'Score', 'Due', 'LeadID'), descending: fc.boolean() })
  const owners = fc.array(fc.oneof(text, fc.constantFrom('0055e0000000001AAA', 'nobody')), { maxLength: 5 })
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 4 }), fc.option(order), fc.option(owners), fc.option(fc.boolean()), (where, ordered, among, begins) => {
      const pushed = where.filter((one) => narrowed(EXTRA.fields[one.field] ?? undefined, one) !== undefined)
      const from =
        begins === null ? undefined : { value: ordered?.field === 'Score' ? 12.5 : ordered?.field === 'LeadID' ? '00Q5e0000000001EAA' : '2026-01-01' }
      const soql = selection(EXTRA, { where: pushed, size: 10, ...(ordered && { order: ordered }), ...(among && { owners: among }), ...(from && { from }) })
      expect(isQueryValid(soql), soql).toBe(true)
      const { fields, sObject } = parseQuery(soql)
      expect(sObject).toBe('Lead')
      expect(fields?.map((field) => (field as { field: string }).field).join(', ')).toBe(columnsOf(EXTRA))
    }),
    { numRuns: 400 },
  )
})

describe('conditions', () => {
  const place = (field: string) => EXTRA.fields[field] ?? undefined
  const how = (field: string, operator: Condition['operator'], value: Condition['value']) => narrowed(place(field), { operator, value })

  test('Salesforce ignores the case of letters', () => {
    expect(how('FirstName', 'eq', 'Ada')).toEqual({ how: 'roughly', soql: "FirstName = 'Ada'" })
    expect(how('FirstName', 'ne', 'Ada')).toBeUndefined()
    expect(how('FirstName', 'ne', null)).toEqual({ how: 'exactly', soql: 'FirstName != null' })
    expect(how('FirstName', 'in', ['Ada', null])).toEqual({ how: 'roughly', soql: "(FirstName = 'Ada' OR FirstName = null)" })
    expect(how('FirstName', 'in', [])).toEqual({ how: 'exactly', soql: 'Id = null' })
  })

  test('a word of ours is looked for in both languages', () => {
    expect(how('Status', 'eq', 'Open')).toEqual({ how: 'roughly', soql: "Status IN ('Open - Not Contacted', 'Open')" })
    expect(how('Status', 'contains', 'Open')).toBeUndefined()
  })

  test('what differs from a word is left to Salesforce where a picklist has the word in just these letters', () => {
    const words = ['Open - Not Contacted', 'Working', 'Closed']
    const status: SalesforcePlace = { name: 'Status', kind: 'choice', values: { Open: 'Open - Not Contacted' }, words }
    const ne = (value: string, picklist: SalesforcePlace = status) => narrowed(picklist, { operator: 'ne', value })
    expect(ne('Closed')).toEqual({ how: 'exactly', soql: "(Status != 'Closed' OR Status = null)" })
    // Somebody may have brought in another one, in whatever letters.
    expect(ne('Open')).toEqual({ how: 'roughly', soql: "(Status != 'Open - Not Contacted' OR Status = null)" })
    expect(ne('Open', { ...status, words: [...words, 'Open'] })).toEqual({
      how: 'exactly',
      soql: "(Status NOT IN ('Open - Not Contacted', 'Open') OR Status = null)",
    })
    // To us that one is called Open.
    expect(ne('Open - Not Contacted')).toEqual({ how: 'exactly', soql: '' })
    expect([ne('closed'), ne('Lost'), ne('Closed', { name: 'Status', kind: 'choice' })]).toEqual([undefined, undefined, undefined])
  })

  test('what cannot be an id equals nothing', () => {
    expect(how('LeadID', 'eq', "x' OR Id != '")).toEqual({ how: 'exactly', soql: 'Id = null' })
    expect(how('OwnerID', 'ne', 'x')).toEqual({ how: 'exactly', soql: '' })
    expect(how('OwnerID', 'eq', 'nobody')).toEqual({ how: 'exactly', soql: 'OwnerId = null' })
  })

  test('a moment between two seconds is compared by the next', () => {
    expect(how('CreatedDate', 'gt', '2026-01-01T00:00:00.500Z')?.soql).toBe('CreatedDate >= 2026-01-01T00:00:01Z')
    expect(how('CreatedDate', 'lte', '2026-01-01T00:00:00.500Z')?.soql).toBe('CreatedDate < 2026-01-01T00:00:01Z')
    expect(how('CreatedDate', 'eq', '2026-01-01T00:00:00.500Z')?.soql).toBe('Id = null')
    expect(how('CreatedDate', 'in', ['2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00.000Z'])?.soql).toBe('CreatedDate = 2026-01-01T00:00:00Z')
  })

  test('what Salesforce cannot search by, or has no place for, is not asked', () => {
    expect(how('Memo', 'eq', 'x')).toBeUndefined()
    expect(how('Gone', 'eq', 'x')).toBeUndefined()
    expect(how('Seats', 'eq', 1.5)).toBeUndefined()
    expect(how('Score', 'eq', 1e15)).toBeUndefined()
    expect(how('Score', 'in', [1, 1e16])).toBeUndefined()
    expect(how('FirstName', 'contains', 'x'.repeat(2000))).toBeUndefined()
    expect(
      how(
        'OwnerID',
        'in',
        Array.from({ length: 1000 }, () => '0055e0000000001AAA'),
      ),
    ).toBeUndefined()
  })
})
