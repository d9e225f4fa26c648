import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CrmError } from '../../src/contract/errors.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { inProcess } from '../support/in-process.ts'
import { wrongWith } from '../support/schemas.ts'

const OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains', 'startsWith', 'like', 'constructor']

/** Values of every type, right for some field and wrong for the others. */
const value: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[null, true, 0, -1.5, 1e300, '', 'x', 'a\u0000b', '\ud800', 'x'.repeat(32_001), [], {}, [1], ['x', null]],
  ...[
    '2026-02-28',
    '2026-02-30',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.123+02:00',
    '2026-01-01T00:00:00+0000',
    '2026-01-01T00:00:00',
    '2026-01-01T99:00:00Z',
  ],
)
const list = fc.oneof(fc.array(value, { maxLength: 3 }), value)
const member = fc.oneof(value, fc.dictionary(fc.constantFrom(...OPERATORS), fc.oneof(value, list), { maxKeys: 2 }))

const SEARCHES = OPERATIONS.filter(({ verb }) => verb === 'getMany')

describe('the public schema of Filters', () => {
  test.each(SEARCHES.map(({ name, ...rest }) => [name, rest] as const))('of %s accepts exactly what the core accepts', async (_name, { id, record, input }) => {
    const connection = await inProcess(await openSqlite(':memory:'))
    const crm = connection.signIn(connection.adminKey)
    // The schema does not look into combined Filters, which the core does; tests/property/filters.test.ts has those.
    const combined = ['any', 'not']
    const fields = Object.keys((record.filters as unknown as { properties: object }).properties).filter((name) => !combined.includes(name))
    const names = [...fields, 'Nonsense', 'toString', 'Digest']
    const custom = record.name === 'CustomObject'
    if (custom) await crm.customObjects.create({ ObjectName: 'Thing', Fields: { Nonsense: { Type: 'Number', Label: 'x' } } })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), member, { maxKeys: 2 }), async (Filters) => {
        const accepted = await crm.call(id, { Filters }).then(
          () => true,
          (error: unknown) => {
            if (error instanceof CrmError && error.code === 'invalid_input') return false
            throw error
          },
        )
        const valid = wrongWith(input as object, { Filters }).length === 0
        // The schema cannot know the workspace's own fields, so there it only must not refuse what is right.
        if (custom) expect(valid || !accepted, JSON.stringify(Filters)).toBe(true)
        else expect(accepted, JSON.stringify(Filters).slice(0, 300)).toBe(valid)
      }),
      { numRuns: 500 },
    )
    await connection.close()
  })
})
