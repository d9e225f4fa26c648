import assert from 'node:assert/strict'
import type { CrmError } from '../contract/errors.ts'
import { behaviour, type Lack, theme } from './behaviour.ts'
import { BOAT, DEFINED } from './records.ts'

/** Names that every object already has. */
const TREACHEROUS = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'] as const

/** Values, the Lack that excuses a refusal, and what a platform with that Lack may store instead where only blanks are lost. */
const HARD: readonly (readonly [field: string, given: string | number, lack: Lack, stored?: string | null])[] = [
  ['Text', ' 5 ', 'surrounding whitespace', '5'],
  ['Text', '', 'empty texts', null],
  ['Text', 'line\nbreak\ttab', 'full fields'],
  ['Text', 'a\u0001 👩🏽‍💻 e\u0301', 'full fields'],
  ['Count', 0.1 + 0.2, 'full fields'],
  ['Count', -1e300, 'full fields'],
  ['Count', 5e-324, 'full fields'],
  ['Seen', '2026-01-01T00:00:00.5Z', 'milliseconds'],
]

const canonical = (value: string | number) => (typeof value === 'string' && value.endsWith('.5Z') ? value.replace('.5Z', '.500Z') : value)

export const customObjects = theme('custom objects', [
  behaviour('a new record answers with its definitions and values, and is stored as answered', async ({ as, unique }) => {
    const { crm, userId } = await as()
    const ObjectName = unique('Boat')
    const boat = await crm.customObjects.create({ ObjectName, Fields: BOAT })
    const { ObjectID, CreatedDate, UpdatedDate, Revision } = boat
    assert.deepEqual(
      { ...boat },
      { ObjectID, ObjectName, Fields: DEFINED, Values: { HullLength: 7.5, Harbour: 'Kiel' }, OwnerID: userId, CreatedDate, UpdatedDate, Revision },
    )
    assert.deepEqual(await crm.customObjects.get({ ObjectID }), boat)
    assert.deepEqual((await crm.customObjects.getMany({})).Records, [boat])
  }),

  behaviour('a definition needs no value, as in the source document', async ({ crm, unique }) => {
    const { Fields, Values } = await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: DEFINED })
    assert.deepEqual([Fields, Values], [DEFINED, { HullLength: null, Harbour: null }])
    const bare = await crm.customObjects.create({ ObjectName: unique('Bare'), Fields: {} })
    assert.deepEqual([bare.Fields, bare.Values], [{}, {}])
  }),

  behaviour('a second create may repeat definitions, add new ones, or give a value alone', async ({ crm, unique }) => {
    const ObjectName = unique('Boat')
    const first = await crm.customObjects.create({ ObjectName, Fields: BOAT })
    const repeated = await crm.customObjects.create({ ObjectName, Fields: { ...DEFINED, HullLength: { ...DEFINED.HullLength, Value: 9 } } })
    assert.deepEqual(repeated.Values, { HullLength: 9, Harbour: null })
    const alone = await crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: 'Lübeck' } } })
    assert.deepEqual([alone.Fields, alone.Values], [DEFINED, { HullLength: null, Harbour: 'Lübeck' }])
    const added = await crm.customObjects.create({ ObjectName, Fields: { Masts: { Type: 'Number', Label: 'Masts', Value: 2 } } })
    assert.deepEqual(added.Values, { HullLength: null, Harbour: null, Masts: 2 })
    assert.deepEqual((await crm.customObjects.get({ ObjectID: first.ObjectID })).Values, { HullLength: 7.5, Harbour: 'Kiel', Masts: null })
    assert.deepEqual(Object.keys((await crm.customObjects.get({ ObjectID: first.ObjectID })).Fields).sort(), ['Harbour', 'HullLength', 'Masts'])
  }),

  behaviour('another type or label is a conflict, and then nothing of the call is stored', async ({ as, unique, refused }) => {
    const { crm } = await as()
    const ObjectName = unique('Boat')
    await crm.customObjects.create({ ObjectName, Fields: BOAT })
    const Sails = { Type: 'Number', Label: 'Sails', Value: 3 } as const
    await refused(crm.customObjects.create({ ObjectName, Fields: { Sails, HullLength: { Type: 'String', Label: 'Hull length', Value: 'long' } } }), 'conflict')
    await refused(crm.customObjects.create({ ObjectName, Fields: { Sails, Harbour: { Type: 'String', Label: 'Harbor' } } }), 'conflict')
    assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName } })).Records.length, 1)
    await refused(crm.customObjects.create({ ObjectName, Fields: { Sails: { Value: 3 } } }), 'invalid_input', { field: 'Fields.Sails' })
    assert.deepEqual((await crm.customObjects.getMany({ Filters: { ObjectName } })).Records[0]?.Fields, DEFINED)
  }),

  behaviour('each object has its own definitions, and each workspace its own objects', async ({ crm, other, unique }) => {
    const [one, two] = [unique('Boat'), unique('Boat')]
    await crm.customObjects.create({ ObjectName: one, Fields: BOAT })
    const text = { HullLength: { Type: 'String', Label: 'How long', Value: 'very' } } as const
    assert.deepEqual((await crm.customObjects.create({ ObjectName: two, Fields: text })).Values, { HullLength: 'very' })
    assert.deepEqual((await other.customObjects.create({ ObjectName: one, Fields: text })).Values, { HullLength: 'very' })
  }),

  behaviour('definitions belong to the whole workspace, records to their owners', async ({ as, unique }) => {
    const [ada, grace] = [await as(), await as()]
    const ObjectName = unique('Boat')
    await ada.crm.customObjects.create({ ObjectName, Fields: BOAT })
    const hers = await grace.crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: 'Rhodes' } } })
    assert.deepEqual(hers.Fields, DEFINED)
    assert.deepEqual((await grace.crm.customObjects.getMany({ Filters: { ObjectName } })).Records, [hers])
  }),

  behaviour('a new field needs both type and label', async ({ crm, unique, refused }) => {
    const ObjectName = unique('Boat')
    const create = (definition: unknown) => crm.call('create_custom_object', { ObjectName, Fields: { Masts: definition } })
    await refused(create({ Type: 'Number' }), 'invalid_input', { field: 'Fields.Masts' })
    await refused(create({ Label: 'Masts' }), 'invalid_input', { field: 'Fields.Masts' })
    await refused(create({ Value: 2 }), 'invalid_input', { field: 'Fields.Masts' })
    await refused(create({ Type: 'Numbr', Label: 'Masts' }), 'invalid_input', { field: 'Fields.Masts.Type' })
    await refused(create({ Type: 'Number', Label: 'Masts', Default: 2 }), 'invalid_input', { field: 'Fields.Masts' })
    for (const wrong of [{}, null, 'Number', [], 5]) await refused(create(wrong), 'invalid_input', { field: 'Fields.Masts' })
    for (const Fields of [null, [], 'x']) await refused(crm.call('create_custom_object', { ObjectName, Fields }), 'invalid_input', { field: 'Fields' })
    assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName } })).Records.length, 0)
  }),

  behaviour('values of every type are stored as such', async ({ crm, unique }) => {
    const Fields = {
      Text: { Type: 'String', Label: 'Text', Value: '5' },
      Count: { Type: 'Number', Label: 'Count', Value: 7.25 },
      Afloat: { Type: 'Boolean', Label: 'Afloat', Value: false },
      Built: { Type: 'Date', Label: 'Built', Value: '1999-02-28' },
      Seen: { Type: 'DateTime', Label: 'Seen', Value: '2026-11-15T09:30:00+02:00' },
    } as const
    const boat = await crm.customObjects.create({ ObjectName: unique('Boat'), Fields })
    assert.deepEqual(boat.Values, { Text: '5', Count: 7.25, Afloat: false, Built: '1999-02-28', Seen: '2026-11-15T07:30:00.000Z' })
    assert.deepEqual((await crm.customObjects.get({ ObjectID: boat.ObjectID })).Values, boat.Values)
    const changes = { Text: 'true', Count: -12, Afloat: true, Built: '2024-02-29', Seen: '2026-01-01T00:00:00.000Z' }
    const { Values, UpdatedFields } = await crm.customObjects.update({ ObjectID: boat.ObjectID, FieldsToUpdate: changes })
    assert.deepEqual(Values, changes)
    assert.deepEqual(UpdatedFields.toSorted(), ['Afloat', 'Built', 'Count', 'Seen', 'Text'])
  }),

  behaviour('an unusual value is stored unchanged or refused', async (context) => {
    const { crm, unique, lacks, refused } = context
    const boat = await crm.customObjects.create({
      ObjectName: unique('Boat'),
      Fields: { Text: { Type: 'String', Label: 'Text' }, Count: { Type: 'Number', Label: 'Count' }, Seen: { Type: 'DateTime', Label: 'Seen' } },
    })
    const { ObjectID } = boat
    for (const [field, given, lack, stored] of HARD) {
      const before = await crm.customObjects.get({ ObjectID })
      const answer = await crm.customObjects.update({ ObjectID, FieldsToUpdate: { [field]: given } }).catch((error: CrmError) => error)
      if (!(answer instanceof Error)) {
        const wanted: unknown[] = lacks(lack) && stored !== undefined ? [stored, canonical(given)] : [canonical(given)]
        assert.ok(wanted.includes(answer.Values[field]), `${JSON.stringify(given)} became ${JSON.stringify(answer.Values[field])}`)
        assert.deepEqual((await crm.customObjects.get({ ObjectID })).Values, answer.Values)
        continue
      }
      assert.ok(lacks(lack), `${JSON.stringify(given)} is refused: ${answer.message}`)
      assert.ok(['invalid_input', 'platform_rejected', 'unsupported'].includes(answer.code), answer.code)
      const { errors } = await refused(Promise.reject(answer), answer.code)
      assert.ok(
        errors?.some((fault) => fault.field.endsWith(field)),
        `${answer.message} names ${field}`,
      )
      assert.deepEqual(await crm.customObjects.get({ ObjectID }), before)
    }
  }),

  behaviour('a value of another type is refused, whatever it looks like', async ({ crm, unique, refused }) => {
    const ObjectName = unique('Boat')
    const types = { Text: 'String', Count: 'Number', Afloat: 'Boolean', Built: 'Date', Seen: 'DateTime' } as const
    const { ObjectID } = await crm.customObjects.create({
      ObjectName,
      Fields: Object.fromEntries(Object.entries(types).map(([name, Type]) => [name, { Type, Label: name }])),
    })
    const wrong = {
      Text: [5, true],
      Count: ['5', '', false],
      Afloat: ['true', 1, 0],
      Built: ['2023-02-29', 5, '2026-01-01T00:00:00Z'],
      Seen: ['2026-01-01T00:00:00', '2026-01-01', 5],
    }
    for (const [name, values] of Object.entries(wrong)) {
      for (const Value of values) {
        await refused(crm.customObjects.create({ ObjectName, Fields: { [name]: { Value } } }), 'invalid_input', { field: `Fields.${name}` })
        await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { [name]: Value } }), 'invalid_input', { field: `FieldsToUpdate.${name}` })
      }
    }
    assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName } })).Records.length, 1)
  }),

  behaviour('an update changes only the values it names, and null clears one', async ({ crm, unique }) => {
    const boat = await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: BOAT })
    const { UpdatedFields, ...after } = await crm.customObjects.update({ ObjectID: boat.ObjectID, FieldsToUpdate: { Harbour: null } })
    assert.deepEqual(UpdatedFields, ['Harbour'])
    assert.ok(after.Revision > boat.Revision)
    assert.deepEqual(after, { ...boat, Values: { HullLength: 7.5, Harbour: null }, UpdatedDate: after.UpdatedDate, Revision: after.Revision })
    assert.deepEqual({ ...(await crm.customObjects.get({ ObjectID: boat.ObjectID })) }, after)
  }),

  behaviour('an unknown field of the object is refused with the nearest, a read-only one as such', async ({ crm, unique, refused }) => {
    const boat = await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: BOAT })
    const update = (field: string) => crm.customObjects.update({ ObjectID: boat.ObjectID, FieldsToUpdate: { [field]: 'x' } })
    await refused(update('Harbor'), 'invalid_input', { field: 'FieldsToUpdate.Harbor', code: 'unknown', didYouMean: 'Harbour' })
    for (const field of ['ObjectID', 'ObjectName', 'CreatedDate', 'UpdatedDate', 'Revision', 'Values', 'Fields'])
      await refused(update(field), 'invalid_input', { field: `FieldsToUpdate.${field}`, code: 'read_only' })
    for (const field of TREACHEROUS) await refused(update(field), 'invalid_input', { field: `FieldsToUpdate.${field}`, code: 'unknown' })
    assert.deepEqual(await crm.customObjects.get({ ObjectID: boat.ObjectID }), boat)
  }),

  behaviour('names such as constructor are harmless, as objects and as fields', async ({ as }) => {
    const { crm } = await as()
    const Fields = Object.fromEntries(TREACHEROUS.map((name) => [name, { Type: 'String', Label: name, Value: name }] as const))
    for (const ObjectName of TREACHEROUS) {
      const made = await crm.customObjects.create({ ObjectName, Fields })
      assert.deepEqual({ ...made.Values }, Object.fromEntries(TREACHEROUS.map((name) => [name, name])))
      for (const name of TREACHEROUS) {
        const { Values, UpdatedFields } = await crm.customObjects.update({ ObjectID: made.ObjectID, FieldsToUpdate: { [name]: 'changed' } })
        assert.deepEqual([Values[name], UpdatedFields], ['changed', [name]])
        assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName, [name]: 'changed' } })).Records.length, 1)
        assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName, [name]: name } })).Records.length, 0)
      }
      await crm.customObjects.delete({ ObjectID: made.ObjectID })
    }
  }),

  behaviour('an object called like one of those has no fields of its own', async ({ as, unique, refused }) => {
    const { crm } = await as()
    const ObjectName = unique('Bare')
    await crm.customObjects.create({ ObjectName, Fields: {} })
    for (const name of TREACHEROUS)
      await refused(crm.customObjects.create({ ObjectName, Fields: { [name]: { Value: 'x' } } }), 'invalid_input', { field: `Fields.${name}` })
  }),

  behaviour('names are letters, digits and underscores after a letter, at most 80 long', async ({ crm, unique, lacks, refused }) => {
    const ObjectName = unique('Boat')
    const definition = { Type: 'String', Label: 'x', Value: 'kept' } as const
    const longest = ObjectName.padEnd(80, 'x')
    // A platform may take shorter names only, and says so of every longer one.
    for (let name = longest; ; name = name.slice(0, -1)) {
      const Fields = { [name]: definition, a: definition, A_1: definition }
      const made = await crm.customObjects.create({ ObjectName: name, Fields }).catch((error: CrmError) => error)
      if (!(made instanceof Error)) {
        assert.deepEqual([made.ObjectName, made.Values], [name, { [name]: 'kept', a: 'kept', A_1: 'kept' }])
        break
      }
      assert.ok(lacks('full fields') && name.length > ObjectName.length, String(made))
      await refused(Promise.reject(made), 'unsupported')
    }
    for (const name of [`${longest}x`, '', ' ', '1a', '_a', '__proto__', 'a b', 'a-b', 'a.b', 'ä', 'a"b', "a'b", 'a\n']) {
      await refused(crm.customObjects.create({ ObjectName: name, Fields: {} }), 'invalid_input', { field: 'ObjectName' })
      const Fields = JSON.parse(`{${JSON.stringify(name)}:{"Type":"String","Label":"x"}}`) as Record<string, typeof definition>
      await refused(crm.customObjects.create({ ObjectName, Fields }), 'invalid_input')
    }
    assert.equal((await crm.customObjects.getMany({ Filters: { ObjectName } })).Records.length, 0)
  }),

  behaviour("a field cannot be called like one of the record's own", async ({ crm, unique, refused }) => {
    for (const name of ['ObjectID', 'ObjectName', 'OwnerID', 'CreatedDate', 'UpdatedDate', 'Revision', 'Values', 'Fields']) {
      await refused(crm.customObjects.create({ ObjectName: unique('Boat'), Fields: { [name]: { Type: 'String', Label: 'x' } } }), 'invalid_input', {
        field: `Fields.${name}`,
      })
    }
  }),

  behaviour('an object has at most 500 fields, however they come', async ({ crm, unique, refused }) => {
    const ObjectName = unique('Wide')
    const fields = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`F${from + at}`, { Type: 'Number', Label: `F${from + at}`, Value: from + at }] as const))
    await refused(crm.customObjects.create({ ObjectName, Fields: fields(0, 501) }), 'invalid_input', { field: 'Fields' })
    await crm.customObjects.create({ ObjectName, Fields: fields(0, 499) })
    await refused(crm.customObjects.create({ ObjectName, Fields: fields(499, 501) }), 'invalid_input', { field: 'Fields' })
    const full = await crm.customObjects.create({ ObjectName, Fields: fields(499, 500) })
    assert.deepEqual([Object.keys(full.Fields).length, full.Values.F499, full.Values.F0], [500, 499, null])
    await refused(crm.customObjects.create({ ObjectName, Fields: fields(500, 501) }), 'invalid_input', { field: 'Fields' })
    assert.equal((await crm.customObjects.create({ ObjectName, Fields: { F3: { Value: 3 } } })).Values.F3, 3)
  }),
])
