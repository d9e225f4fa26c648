import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { seedLeads } from '../../../../bench/seed.ts'
import { FAMILIES, FIELD_KINDS } from '../../../../src/contract/fields.ts'
import { Case } from '../../../../src/contract/records/case.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import type { Condition, Query, Reader, Value } from '../../../../src/platforms/platform.ts'
import type { Store, StoreWriter } from '../../../../src/platforms/store.ts'
import type { Table } from '../../../../src/platforms/stores/sql/tables.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { TABLES, tableFor } from '../../../../src/platforms/stores/sqlite/tables.ts'
import { AUDIT_LINE } from '../../../support/audit-line.ts'
import { connectionsTo } from '../../../support/recorded-connections.ts'

vi.mock('../../../../src/platforms/stores/sqlite/connection.ts', async (original) =>
  (await import('../../../support/recorded-connections.ts')).recordStatements(await original()),
)

const MANY = 3_000
const VALUES: { readonly [family in keyof typeof FAMILIES]: readonly [Value, Value] } = {
  text: ['a', 'b'],
  number: [1, 2],
  date: ['2026-01-01', '2026-02-01'],
  timestamp: ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  boolean: [true, false],
  list: [null, null],
}

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-'))
  store = await openSqlite(join(folder, 'crm.db'))
  await seedLeads(store, 1, ['ada', 'grace'], MANY)
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** How the database goes about every statement of a read, one text a statement. */
async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string[]> {
  const [, reading] = connectionsTo(join(folder, 'crm.db'))
  if (!reading) throw new Error('Nothing reads.')
  const from = reading.ran.length
  await read(store.reader(1))
  return reading.ran.slice(from).map(({ sql, bind }) =>
    reading.connection
      .all(`EXPLAIN QUERY PLAN ${sql}`, bind)
      .map(({ detail }) => String(detail))
      .join('; '),
  )
}

const finding = (table: Table, query: Partial<Query>) =>
  plansOf((reader) => reader.find(table.name, { where: [], order: { field: table.record.createdField, descending: true }, limit: 50, ...query }))

/** The field whose order is that of the primary key. */
const byId = (table: Table) => (table.idHoldsCreated ? table.record.createdField : table.id)

/** The statement that fetches the page; those before it count entries of an index. */
const last = (plans: readonly string[]) => plans.at(-1) ?? ''

function familyOf(table: Table, field: string): keyof typeof FAMILIES {
  const kind = table.record.fields[field]?.kind
  const family = kind && FIELD_KINDS[kind]
  if (!family) throw new Error(`${table.name}.${field} is not filtered by`)
  return family
}

function condition(table: Table, field: string, operator: Condition['operator']): Condition {
  const family = familyOf(table, field)
  const [value, other] = VALUES[family]
  return { field, family, operator, value: operator === 'in' ? [value, other] : value }
}

const tables = TABLES.all
const leads = tableFor('Lead')
const indexed = tables.flatMap((table) =>
  table.columns.filter((column) => column.indexed).map((column) => ({ name: `${table.name}.${column.name}`, table, column })),
)
/** What a caller may order by; what hangs on a record is always newest first. */
const ordered = tables
  .filter(({ record }) => !record.childOf && !record.internalId)
  .flatMap((table) =>
    [table.id, table.record.createdField, ...table.columns.filter((column) => column.indexed && !column.sparse).map(({ name }) => name)].map((field) => ({
      name: `${table.name} by ${field}`,
      table,
      field,
    })),
  )

const scan = /\bSCAN t\b/
const sorted = /USE TEMP B-TREE FOR ORDER BY/

describe('a filter by equality', () => {
  test.each(indexed)('on $name enters its index and comes in order', async ({ table, column }) => {
    for (const descending of [true, false]) {
      const plan = last(
        await finding(table, {
          where: [condition(table, column.name, 'eq')],
          order: { field: byId(table), descending },
        }),
      )
      expect(plan).toContain(`SEARCH t USING INDEX ${table.name}_${column.name} (Workspace=? AND ${column.prefix ? '<expr>' : column.name}=?`)
      expect(plan).not.toMatch(scan)
      expect(plan).not.toMatch(sorted)
    }
  })

  test.each(indexed.filter(({ column }) => !column.required && !column.sparse))(
    'that finds records without a value of $name enters its index',
    async ({ table, column }) => {
      const where = [{ ...condition(table, column.name, 'eq'), value: null }]
      const plan = last(await finding(table, { where, order: { field: byId(table), descending: true } }))
      expect(plan).toContain(`SEARCH t USING INDEX ${table.name}_${column.name} (Workspace=? AND ${column.name}=?`)
      expect(plan).not.toMatch(sorted)
    },
  )

  test.each(tables.filter(({ record }) => !record.internalId))('on the id of a $name goes straight to the record', async (table) => {
    expect(last(await finding(table, { where: [{ field: table.id, family: 'text', operator: 'eq', value: 'x' }] }))).toContain(
      `SEARCH t USING PRIMARY KEY (Workspace=? AND ${table.id}=?)`,
    )
    expect(last(await plansOf((reader) => reader.get(table.name, 'x')))).toContain(`SEARCH t USING PRIMARY KEY (Workspace=? AND ${table.id}=?)`)
  })
})

describe('a filter by range or list', () => {
  test.each(indexed.filter(({ column, table }) => !column.prefix && familyOf(table, column.name) !== 'boolean'))(
    'on $name enters its index',
    async ({ table, column }) => {
      const operators = FAMILIES[familyOf(table, column.name)].operators.filter((operator) => ['gt', 'gte', 'lt', 'lte', 'in'].includes(operator))
      for (const operator of operators) {
        const plan = last(await finding(table, { where: [condition(table, column.name, operator)], order: { field: column.name, descending: false } }))
        expect(plan, operator).toMatch(new RegExp(`SEARCH t USING INDEX ${table.name}_${column.name} \\(Workspace=\\? AND ${column.name}[<>=]\\?`))
        expect(plan, operator).not.toMatch(scan)
      }
    },
  )

  test.each(tables.filter(({ idHoldsCreated }) => idHoldsCreated))('on the creation time of a $name is a range of ids', async (table) => {
    const { createdField: born } = table.record
    const between: Condition[] = [condition(table, born, 'gte'), { ...condition(table, born, 'lt'), value: '2026-02-01T00:00:00.000Z' }]
    const plan = last(await finding(table, { where: between }))
    expect(plan).toContain(`SEARCH t USING PRIMARY KEY (Workspace=? AND ${table.id}>? AND ${table.id}<?)`)
    expect(plan).not.toMatch(sorted)
    for (const operator of ['gt', 'gte', 'lt', 'lte'] as const) {
      expect(last(await finding(table, { where: [condition(table, born, operator)] }))).toMatch(
        new RegExp(`PRIMARY KEY \\(Workspace=\\? AND ${table.id}[<>]\\?\\)`),
      )
    }
  })

  test('on CreatedDate narrows an equality further within its index', async () => {
    const plan = last(await finding(leads, { where: [condition(leads, 'Status', 'eq'), condition(leads, 'CreatedDate', 'gte')] }))
    expect(plan).toContain('SEARCH t USING INDEX Lead_Status (Workspace=? AND Status=? AND LeadID>?)')
  })
})

describe('an order', () => {
  test.each(ordered)('of $name walks an index, from the first page to the last', async ({ table, field }) => {
    const column = table.columns.find(({ name }) => name === field)
    const [value] = VALUES[familyOf(table, field)]
    const pages: (Query['after'] | undefined)[] = [undefined, { value, id: 'x' }, ...(column?.required === false ? [{ value: null, id: 'x' }] : [])]
    for (const descending of [true, false]) {
      for (const after of pages) {
        const plans = await finding(table, { order: { field, descending }, ...(after && { after }) })
        for (const plan of plans) {
          expect(plan).toMatch(/SEARCH t USING (INDEX \w+|PRIMARY KEY) \(Workspace=\?/)
          expect(plan).not.toMatch(scan)
          expect(plan).not.toMatch(sorted)
        }
      }
    }
  })

  test('goes on where the page before ended, by value and by null', async () => {
    const [from, nulls] = await finding(leads, { order: { field: 'Email', descending: true }, after: { value: 'z', id: 'x' }, limit: MANY + 1 })
    expect(from).toMatch(/Lead_Email \(Workspace=\? AND \(Email,LeadID\)<\(\?,\?\)\)|Lead_Email \(Workspace=\? AND Email<\?\)/)
    expect(nulls).toContain('Lead_Email (Workspace=? AND Email=?)')
  })
})

describe('whose records count', () => {
  test('enters the index of owners, in order for one of them', async () => {
    const one = last(await finding(leads, { owners: ['ada'] }))
    expect(one).toContain('SEARCH t USING INDEX Lead_OwnerID (Workspace=? AND OwnerID=?)')
    expect(one).not.toMatch(sorted)
    expect(last(await finding(leads, { owners: ['nobody', 'noone'] }))).toContain('SEARCH t USING INDEX Lead_OwnerID (Workspace=? AND OwnerID=?)')
  })

  test('and a filter with few matches: the filter leads', async () => {
    expect(last(await finding(leads, { owners: ['ada', 'grace'], where: [condition(leads, 'Email', 'eq')] }))).toContain(
      'INDEX Lead_Email (Workspace=? AND Email=?)',
    )
  })

  test('and nothing with few matches: the walk is along the order', async () => {
    const plan = last(await finding(leads, { owners: ['ada', 'grace'] }))
    expect(plan).toContain('SEARCH t USING PRIMARY KEY (Workspace=?)')
    expect(plan).not.toMatch(sorted)
  })
})

describe('a summary without filters', () => {
  test.each(tables.filter(({ record }) => record.state))('of $name reads counters and not records', async (table) => {
    for (const owners of [undefined, ['ada', 'grace']]) {
      const whose = owners && { owners }
      const plans = await plansOf((reader) => reader.tally(table.name, { ...whose, where: [], today: '2026-01-01', soon: '2026-01-31' }))
      for (const plan of plans) expect(plan).toMatch(/^SEARCH Rollup USING PRIMARY KEY \(Workspace=\? AND RecordType=\? AND Kind=\?/)
      const first = (await plansOf((reader) => reader.firstCreated(table.name, owners))).join('; ')
      expect(first).toMatch(
        owners ? /SEARCH t USING (COVERING )?INDEX \w+_OwnerID \(Workspace=\? AND OwnerID=\?\)/ : /SEARCH t USING PRIMARY KEY \(Workspace=\?\)/,
      )
      expect(first).not.toMatch(scan)
    }
  })
})

test('the oldest open case is found by one step for each owner and status', async () => {
  const record = newRecord(Case, { id: '1m7ej4vpa01zzq1pvpf4', at: '2026-01-01T00:00:00.000Z' }, { Subject: 'x', Description: 'x', OwnerID: 'ada' })
  await store.write(1, (writer) => writer.create('Case', record))
  const plans = await plansOf((reader) => reader.oldestNotIn('Case', undefined, ['Closed']))
  expect(plans.join('; ')).toContain('SEARCH t USING COVERING INDEX Case_Queue (Workspace=? AND Status=? AND OwnerID=?)')
})

test('of users and keys, a key is found by its digest, and those below a user by their manager', async () => {
  const plans = [...(await plansOf(() => store.keyByDigest('x'))), ...(await plansOf(() => store.usersBelow(1, 'x')))].join('; ')
  expect(plans).toMatch(/SEARCH Key USING (COVERING )?INDEX Key_Digest \(Digest=\?\)/)
  expect(plans).toMatch(/SEARCH User USING (COVERING )?INDEX User_ManagerID \(Workspace=\? AND ManagerID=\?\)/)
  expect(plans).toMatch(/SEARCH u USING (COVERING )?INDEX User_ManagerID \(Workspace=\? AND ManagerID=\?\)/)
})

/** How the database goes about every statement of a write on a table. */
async function plansOfWrite(table: string, work: (writer: StoreWriter) => Promise<unknown>): Promise<string[]> {
  const [writing] = connectionsTo(join(folder, 'crm.db'))
  if (!writing) throw new Error('Nothing writes.')
  const from = writing.ran.length
  await store.write(1, work)
  const about = writing.ran.slice(from).filter(({ sql }) => new RegExp(`(FROM|UPDATE|INTO) "${table}"`).test(sql))
  return about.map(({ sql, bind }) => String(writing.connection.all(`EXPLAIN QUERY PLAN ${sql}`, bind)[0]?.detail))
}

test('a line about a record of a CRM costs a look at the lines of that record alone', async () => {
  const [plan] = await plansOfWrite('RecordOwner', (writer) => writer.appendAuditLine({ ...AUDIT_LINE, mapped: true }))
  expect(plan).toMatch(/^SEARCH c .*INDEX Change_RecordID \(Workspace=\? AND RecordID=\?\)$/)
})

test('an erasure costs a look at the lines of that record alone', async () => {
  const plans = await plansOfWrite('Change', (writer) => writer.erase('Lead', 'x'))
  expect(plans).toHaveLength(2)
  for (const plan of plans) expect(plan).toBe('SEARCH Change USING INDEX Change_RecordID (Workspace=? AND RecordID=?)')
})
