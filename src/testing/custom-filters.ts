import assert from 'node:assert/strict'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { allPages } from './records.ts'

type CustomFilters = NonNullable<Parameters<Client['customObjects']['getMany']>[0]>['Filters']

const FIELDS = {
  Name: { Type: 'String', Label: 'Name' },
  Length: { Type: 'Number', Label: 'Length' },
  Afloat: { Type: 'Boolean', Label: 'Afloat' },
  Built: { Type: 'Date', Label: 'Built' },
  Seen: { Type: 'DateTime', Label: 'Seen' },
} as const

type Boat = { [name in keyof typeof FIELDS]?: string | number | boolean | null }

/** One with every value, one with others, one with none. */
const FLEET: readonly Boat[] = [
  { Name: 'Adler', Length: 7.5, Afloat: true, Built: '1999-12-31', Seen: '2026-01-01T00:00:00Z' },
  { Name: 'biber', Length: 10, Afloat: false, Built: '2024-02-29', Seen: '2026-01-01T03:00:00+02:00' },
  { Name: 'none' },
]

/** Three boats of a new member's, of an object that all of these behaviours share. */
async function fleet({ as, boats }: Context) {
  const { crm, userId } = await as()
  const ObjectName = `${boats}_afloat`
  for (const boat of FLEET) {
    const values = Object.entries(FIELDS).map(([name, definition]) => [name, { ...definition, Value: boat[name as keyof Boat] ?? null }])
    await crm.customObjects.create({ ObjectName, Fields: Object.fromEntries(values) })
  }
  const found = async (Filters: { readonly [field: string]: unknown }) =>
    (await crm.customObjects.getMany({ Filters: { ObjectName, ...Filters } })).Records.map(({ Values }) => Values.Name).sort()
  return { crm, userId, ObjectName, found }
}

const MATCHES: readonly (readonly [filters: { readonly [field: string]: unknown }, names: readonly string[]])[] = [
  [{ Name: 'Adler' }, ['Adler']],
  [{ Name: 'adler' }, []],
  [{ Name: { contains: 'B', ne: 'x' } }, ['biber']],
  [{ Name: { startsWith: 'aD' } }, ['Adler']],
  [{ Name: { in: ['Adler', 'none'] } }, ['Adler', 'none']],
  [{ Length: 10 }, ['biber']],
  [{ Length: { gt: 7.5 } }, ['biber']],
  [{ Length: { gte: 7.5, lt: 10 } }, ['Adler']],
  [{ Length: { lte: 100 } }, ['Adler', 'biber']],
  [{ Length: { ne: 10 } }, ['Adler', 'none']],
  [{ Length: null }, ['none']],
  [{ Length: { in: [10, null] } }, ['biber', 'none']],
  [{ Afloat: true }, ['Adler']],
  [{ Afloat: false }, ['biber']],
  [{ Afloat: { ne: true } }, ['biber', 'none']],
  [{ Afloat: null }, ['none']],
  [{ Built: '2024-02-29' }, ['biber']],
  [{ Built: { lt: '2000-01-01' } }, ['Adler']],
  [{ Built: { ne: null } }, ['Adler', 'biber']],
  [{ Seen: '2026-01-01T01:00:00+01:00' }, ['Adler']],
  [{ Seen: { gt: '2026-01-01T00:00:00+0000' } }, ['biber']],
  [{ Seen: { gte: '2026-01-01T01:00:00Z' } }, ['biber']],
  [{ Length: { gt: 0 }, Afloat: false }, ['biber']],
]

/** What is found where a Boolean that was never set is false. */
const UNTICKED: { readonly [filters: string]: readonly string[] } = {
  [JSON.stringify({ Afloat: false })]: ['biber', 'none'],
  [JSON.stringify({ Afloat: null })]: [],
}

export const customFilters = theme('custom objects, filtered', [
  behaviour('user-defined fields are filtered by name, typed by their definition', async (context) => {
    const { found } = await fleet(context)
    for (const [filters, names] of MATCHES) {
      // Platforms without null Booleans store false.
      const expected = context.lacks('empty booleans') && 'Afloat' in filters ? (UNTICKED[JSON.stringify(filters)] ?? names) : names
      assert.deepEqual(await found(filters), expected, JSON.stringify(filters))
    }
  }),

  behaviour('the common fields are filtered as well', async (context) => {
    const { crm, userId, found } = await fleet(context)
    assert.equal((await found({ OwnerID: userId })).length, 3)
    assert.equal((await found({ CreatedDate: { lt: '2020-01-01T00:00:00Z' } })).length, 0)
    assert.equal((await found({ Revision: { gte: 1 } })).length, 3)
    const [first] = (await crm.customObjects.getMany({ OrderBy: 'CreatedDate' })).Records
    assert.deepEqual(await found({ ObjectID: first?.ObjectID }), ['Adler'])
    assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName: context.unique('Nothing') } })).Records.length, 0)
  }),

  behaviour('the definition decides how a value is read, never its look', async (context) => {
    const { found } = await fleet(context)
    const wrong: readonly (readonly [field: string, values: readonly unknown[]])[] = [
      ['Name', [5, true]],
      ['Length', ['7.5', true]],
      ['Afloat', ['true', 1]],
      ['Built', [1999, '1999-12-32', '1999-12-31T00:00:00Z']],
      ['Seen', ['2026-01-01T00:00:00', '2026-01-01', 5]],
    ]
    for (const [field, values] of wrong) {
      for (const value of values) {
        const { errors } = await context.refused(found({ [field]: value }), 'invalid_input', { field: `Filters.${field}` })
        assert.ok(errors?.some(({ expected }) => expected))
        await context.refused(found({ [field]: { ne: value } }), 'invalid_input', { field: `Filters.${field}` })
      }
    }
    for (const [field, condition] of [
      ['Name', { gt: 'a' }],
      ['Length', { contains: 1 }],
      ['Afloat', { in: [true] }],
      ['Built', { startsWith: '1999' }],
      ['Length', {}],
    ] as const) {
      await context.refused(found({ [field]: condition }), 'invalid_input', { field: `Filters.${field}` })
    }
  }),

  behaviour('an unknown field is refused with the nearest name', async (context) => {
    const { found } = await fleet(context)
    await context.refused(found({ Lenght: 5 }), 'invalid_input', { field: 'Filters.Lenght', code: 'unknown', didYouMean: 'Length' })
    for (const name of ['constructor', 'toString', 'Values', 'Fields'])
      await context.refused(found({ [name]: 'x' }), 'invalid_input', { field: `Filters.${name}` })
  }),

  behaviour("another workspace's fields are unknown here, and are not suggested", async (context) => {
    const name = context.unique('Secret')
    await context.other.customObjects.create({ ObjectName: context.unique('Boat'), Fields: { [name]: { Type: 'String', Label: 'x' } } })
    await context.refused(context.crm.customObjects.getMany({ Filters: { [name]: 'x' } }), 'invalid_input', { field: `Filters.${name}`, code: 'unknown' })
    const error = await context.refused(context.crm.customObjects.getMany({ Filters: { [`${name}x`]: 'x' } }), 'invalid_input')
    assert.ok(!error.errors?.some(({ didYouMean }) => didYouMean === name))
  }),

  behaviour('without ObjectName a field is looked up over all objects, and refused where their types disagree', async ({ as, unique, refused }) => {
    const { crm } = await as()
    const [Agreed, Torn] = [unique('Agreed'), unique('Torn')]
    const [one, two] = [unique('One'), unique('Two')]
    await crm.customObjects.create({
      ObjectName: one,
      Fields: { [Agreed]: { Type: 'Number', Label: 'a', Value: 5 }, [Torn]: { Type: 'Number', Label: 't', Value: 5 } },
    })
    await crm.customObjects.create({
      ObjectName: two,
      Fields: { [Agreed]: { Type: 'Number', Label: 'b', Value: 5 }, [Torn]: { Type: 'String', Label: 't', Value: '5' } },
    })
    const names = async (Filters: CustomFilters) => (await crm.customObjects.getMany({ Filters })).Records.map(({ ObjectName }) => ObjectName).sort()
    assert.deepEqual(await names({ [Agreed]: 5 }), [one, two].sort())
    assert.deepEqual(await names({ [Agreed]: { gt: 4 }, ObjectName: one }), [one])
    for (const value of [5, '5', null]) await refused(names({ [Torn]: value }), 'invalid_input', { field: `Filters.${Torn}` })
    await refused(crm.customObjects.getMany({ OrderBy: Torn }), 'invalid_input', { field: 'OrderBy' })
    assert.deepEqual(await names({ [Torn]: 5, ObjectName: one }), [one])
    assert.deepEqual(await names({ [Torn]: '5', ObjectName: two }), [two])
  }),

  behaviour('records are ordered by user-defined fields, nulls lowest, page by page', async (context) => {
    const { crm, ObjectName } = await fleet(context)
    for (const Limit of [1000, 1]) {
      const order = async (OrderBy: string) =>
        (await allPages((Cursor) => crm.customObjects.getMany({ Filters: { ObjectName }, OrderBy, Limit, Cursor }))).map(({ Values }) => Values.Name)
      assert.deepEqual(await order('Length'), ['none', 'Adler', 'biber'])
      assert.deepEqual(await order('Length desc'), ['biber', 'Adler', 'none'])
      assert.deepEqual(await order('Name asc'), ['Adler', 'biber', 'none'])
      assert.deepEqual(await order('Seen desc'), ['biber', 'Adler', 'none'])
      assert.deepEqual(await order('Built'), ['none', 'Adler', 'biber'])
    }
    await context.refused(crm.customObjects.getMany({ Filters: { ObjectName }, OrderBy: 'Lenght' }), 'invalid_input', {
      field: 'OrderBy',
      didYouMean: 'Length',
    })
  }),

  behaviour('Select narrows the values', async (context) => {
    const { crm, ObjectName } = await fleet(context)
    const select = async (...Select: string[]) => {
      const [first] = (await crm.customObjects.getMany({ Filters: { ObjectName, Name: 'Adler' }, Select })).Records
      const { ObjectID, ...rest } = first ?? { ObjectID: undefined }
      assert.equal(typeof ObjectID, 'string')
      return rest as object
    }
    assert.deepEqual(await select('Length'), { Values: { Length: 7.5 } })
    assert.deepEqual(await select('Length', 'Built', 'ObjectName'), { ObjectName, Values: { Length: 7.5, Built: '1999-12-31' } })
    assert.deepEqual(await select('ObjectName'), { ObjectName })
    assert.deepEqual(await select('Values'), { Values: { ...FLEET[0], Seen: '2026-01-01T00:00:00.000Z' } })
    await context.refused(select('Lenght'), 'invalid_input', { field: 'Select', didYouMean: 'Length' })
  }),
])
