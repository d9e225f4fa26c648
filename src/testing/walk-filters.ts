import assert from 'node:assert/strict'
import { FAMILIES, type Family, FIELD_KINDS, type Operator } from '../contract/fields.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { RecordType } from '../contract/record.ts'
import type { Context } from './behaviour.ts'
import type { Row } from './records.ts'
import { OFTEN_EMPTY, propertiesOf, readBack, sample } from './walk-samples.ts'

type Pair = { readonly finds?: unknown; readonly misses: unknown }

/** Values just below and just above, and one that is neither. */
const AROUND: { readonly [F in Family]: (value: never) => readonly [below: unknown, above: unknown] } = {
  text: (value: string) => [value, `${value}x`],
  number: (value: number) => [value - 1, value + 1],
  date: () => ['1000-01-01', '9999-01-01'],
  timestamp: (value: string) => [new Date(Date.parse(value) - 1).toISOString(), new Date(Date.parse(value) + 1).toISOString()],
  boolean: (value: boolean) => [!value, !value],
  list: () => [null, null],
}

/** For each operator an operand that finds a record with this value, and one that misses it. */
function operands(family: Family, value: unknown): Partial<Record<Operator, Pair>> {
  const [below, above] = AROUND[family](value as never)
  const all: Record<Operator, Pair> = {
    eq: { finds: value, misses: above },
    ne: { finds: above, misses: value },
    in: { finds: [above, value], misses: [above] },
    gt: { finds: below, misses: value },
    gte: { finds: value, misses: above },
    lt: { finds: above, misses: value },
    lte: { finds: value, misses: below },
    contains: { finds: String(value).slice(1).toUpperCase(), misses: `${value}x` },
    startsWith: { finds: String(value).toLowerCase(), misses: `x${value}` },
  }
  return Object.fromEntries(FAMILIES[family].operators.map((operator) => [operator, all[operator]]))
}

/** The same for a record without a value: only null and `ne` find it. */
function operandsForNone(family: Family): Partial<Record<Operator, Pair>> {
  const some = { text: 'x', number: 1, date: '2026-01-01', timestamp: '2026-01-01T00:00:00.000Z', boolean: true, list: 'x' }[family]
  const pairs = FAMILIES[family].operators.map((operator): [Operator, Pair] => [
    operator,
    { eq: { finds: null, misses: some }, ne: { finds: some, misses: null }, in: { finds: [some, null], misses: [some] } }[operator as string] ?? {
      misses: some,
    },
  ])
  return Object.fromEntries(pairs)
}

/** Proves every operator on every field of an operation's filters, with a record that has a value in each. */
export async function everyFilter(context: Context, operation: Operation): Promise<void> {
  const { record } = operation
  const row = await sample(context, record)
  const id = row[record.id]
  const count = async (Filters: Row) => {
    const answer = (await context.crm.call(operation.id, { Filters })) as { Records?: unknown[]; Total?: number }
    return answer.Records?.length ?? answer.Total
  }
  const here = { [record.id]: id }
  for (const [Filters, found] of [
    [{ any: [here, { [record.id]: 'nothing' }] }, 1],
    [{ ...here, any: [{ [record.id]: 'nothing' }, { not: here }] }, 0],
    [{ ...here, not: { [record.id]: 'nothing' } }, 1],
    [{ ...here, not: { any: [{ not: { not: here } }] } }, 0],
  ] as const)
    assert.equal(await count(Filters), found, `${operation.id} ${JSON.stringify(Filters)}`)
  for (const field of propertiesOf(record.filters).filter((name) => name !== 'any' && name !== 'not')) {
    const kind = record.fields[field]?.kind
    const family = kind && FIELD_KINDS[kind]
    assert.ok(family, `${record.name}.${field} can be filtered by`)
    if (context.described(record.name, field).Operators.length === 0) {
      assert.ok(context.lacks('full fields'))
      await context.refused(count({ [field]: 'x' }), 'unsupported', { field: `Filters.${field}` })
      continue
    }
    const none = (row[field] ?? null) === null
    assert.ok(!none || OFTEN_EMPTY[record.name]?.includes(field), `the sample of ${record.name} has a ${field}`)
    const alone = (condition: unknown) => (field === record.id ? { [field]: condition } : { [record.id]: id, [field]: condition })
    // Other records have ids too, and so the record itself has to be meant beside.
    const meant = field === record.id ? { eq: id } : {}
    const prove = async (value: unknown) => {
      assert.equal(await count(alone(value)), 1, `${operation.id} ${field}`)
      if (field !== record.id) assert.equal(await count(alone(null)), none ? 1 : 0, `${operation.id} ${field} null`)
      for (const [operator, { finds, misses }] of Object.entries(none ? operandsForNone(family) : operands(family, value))) {
        const found = (operand: unknown) => count(alone({ ...meant, [operator]: operand }))
        if (finds !== undefined) assert.equal(await found(finds), 1, `${operation.id} ${field} ${operator} ${String(finds)}`)
        assert.equal(await found(misses), 0, `${operation.id} ${field} ${operator} ${String(misses)}`)
      }
    }
    if (field === 'UpdatedDate' && context.lacks('steady dates')) await whileSteady(() => presentValue(context, record, id, field), prove)
    else await prove(row[field])
  }
}

/** A value as the record itself has it now, which a search may not know yet. */
async function presentValue(context: Context, type: RecordType, id: unknown, field: string): Promise<unknown> {
  const get = OPERATIONS.find(({ record, verb }) => record.name === type.name && verb === 'get')
  const now = get ? await context.crm.call(get.id, { [type.id]: id }) : await readBack(context, type, id)
  return (now as Row | undefined)?.[field]
}

/** Proves something of a value that may move by itself: what fails counts only if the value has not moved meanwhile. */
async function whileSteady(read: () => Promise<unknown>, prove: (value: unknown) => Promise<void>): Promise<void> {
  for (;;) {
    const value = await read()
    try {
      return await prove(value)
    } catch (error) {
      if ((await read()) === value) throw error
    }
  }
}
