import assert from 'node:assert/strict'
import { LIMITS } from '../contract/limits.ts'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { BOAT, DEFINED } from './records.ts'
import { emptyBoat, justNow } from './writes.ts'

const NEEDS = { needs: 'definitions' } as const

/** What describe says of an object's fields; undefined where there is no such object. */
const describedIn = async (crm: Client, object: string) =>
  (await crm.describe({ RecordType: 'CustomObject' })).CustomObjects.find(({ ObjectName }) => ObjectName === object)?.Fields

const boat = ({ crm, unique }: Context) => crm.customObjects.create({ ObjectName: unique('Boat'), Fields: BOAT })

/** A field that is defined again with another type, under a name that no other behaviour searches by. */
const PORT = { Type: 'String', Label: 'Port' } as const
const PORTS = { Type: 'Number', Label: 'Ports' } as const
const calling = ({ crm, unique }: Pick<Context, 'crm' | 'unique'>) =>
  crm.customObjects.create({ ObjectName: unique('Boat'), Fields: { HullLength: BOAT.HullLength, Port: { ...PORT, Value: 'Kiel' } } })

const retire = (crm: Client, ObjectName: string, FieldName: string, Retired = true) =>
  crm.customFields.update({ ObjectName, FieldName, FieldsToUpdate: { Retired } })

const linesOf = async ({ crm }: Context, RecordID: string) =>
  (await crm.changes.getMany({ Filters: { RecordID, Outcome: 'ok' } })).Records.map(({ EventType }) => EventType)

export const customFields = theme('custom fields', [
  behaviour(
    'a retired field is read and searched by as before, and describe says that it is retired',
    async (context) => {
      const { crm } = context
      const { ObjectID, ObjectName, Values } = await boat(context)
      const { CreatedDate, ...answer } = await retire(crm, ObjectName, 'Harbour')
      assert.deepEqual(answer, {
        ObjectName,
        FieldName: 'Harbour',
        ...DEFINED.Harbour,
        Values: null,
        RefersTo: null,
        Retired: true,
        UpdatedFields: ['Retired'],
      })
      const record = await crm.customObjects.get({ ObjectID })
      assert.deepEqual([record.Values, record.Fields], [Values, { ...DEFINED, Harbour: { ...DEFINED.Harbour, Retired: true } }])
      const found = await crm.customObjects.getMany({ Filters: { ObjectName, Harbour: 'Kiel' }, OrderBy: 'Harbour desc' as 'ObjectID' })
      assert.deepEqual(found.Records, [record])
      assert.deepEqual((await describedIn(crm, ObjectName))?.map(({ Name, Retired, Writable }) => [Name, Retired, Writable]).sort(), [
        ['Harbour', true, false],
        ['HullLength', false, true],
      ])
    },
    NEEDS,
  ),

  behaviour(
    'a retired field takes no new values, can be cleared, and takes values once it is brought back',
    async (context) => {
      const { crm, refused } = context
      const { ObjectID, ObjectName } = await boat(context)
      await retire(crm, ObjectName, 'Harbour')
      const create = (Harbour: object) => crm.customObjects.create({ ObjectName, Fields: { Harbour } })
      const update = (Harbour: string | null) => crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour } })
      const error = await refused(create({ Value: 'Rhodes' }), 'invalid_input', { field: 'Fields.Harbour.Value', code: 'read_only' })
      assert.match(error.message, /Harbour of \w+ is retired/)
      await refused(update('Rhodes'), 'invalid_input', { field: 'FieldsToUpdate.Harbour', code: 'read_only' })
      assert.equal((await create(DEFINED.Harbour)).Values.Harbour, null)
      assert.equal((await create({ Value: null })).Values.Harbour, null)
      assert.equal((await update(null)).Values.Harbour, null)
      assert.equal((await retire(crm, ObjectName, 'Harbour', false)).Retired, false)
      assert.equal((await update('Rhodes')).Values.Harbour, 'Rhodes')
      assert.equal((await create({ Value: 'Rhodes' })).Values.Harbour, 'Rhodes')
    },
    NEEDS,
  ),

  behaviour(
    'a label is changed for all records, and what is so already changes nothing',
    async (context) => {
      const { crm, refused } = context
      const { ObjectID, ObjectName } = await boat(context)
      const update = () => crm.customFields.update({ ObjectName, FieldName: 'Harbour', FieldsToUpdate: { Label: 'Port', Retired: null } })
      const answer = await update()
      assert.deepEqual([answer.Label, answer.Retired], ['Port', false])
      assert.equal((await crm.customObjects.get({ ObjectID })).Fields.Harbour?.Label, 'Port')
      await refused(crm.customObjects.create({ ObjectName, Fields: BOAT }), 'conflict', { field: 'Fields.Harbour.Label', expected: 'Port' })
      assert.deepEqual(await update(), { ...answer, UpdatedFields: [] })
      assert.deepEqual(await linesOf(context, `${ObjectName}.Harbour`), ['definition.updated'])
    },
    NEEDS,
  ),

  behaviour(
    'a field is deleted once no record has a value in it, of any owner, and can be defined again with another type',
    async (context) => {
      const { crm, as, refused } = context
      const owner = await as()
      const { ObjectID, ObjectName } = await calling({ ...context, crm: owner.crm })
      const deleteField = () => crm.customFields.delete({ ObjectName, FieldName: 'Port' })
      const { hint } = await refused(deleteField(), 'conflict')
      assert.match(hint ?? '', /Clear it .* or retire the field/)
      await owner.crm.customObjects.update({ ObjectID, FieldsToUpdate: { Port: null } })
      assert.deepEqual(await deleteField(), { ObjectName, FieldName: 'Port', Deleted: true })
      assert.deepEqual((await crm.customObjects.get({ ObjectID })).Fields, { HullLength: DEFINED.HullLength })
      await refused(deleteField(), 'not_found', { field: 'FieldName' })
      await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { Port: 'Kiel' } }), 'invalid_input', { code: 'unknown' })
      await refused(crm.customObjects.getMany({ Filters: { ObjectName, Port: 'Kiel' } }), 'invalid_input', { code: 'unknown' })
      const again = await crm.customObjects.create({ ObjectName, Fields: { Port: { ...PORTS, Value: 2 } } })
      assert.deepEqual(again.Values, { HullLength: null, Port: 2 })
      assert.deepEqual((await crm.customObjects.get({ ObjectID })).Values, { HullLength: 7.5, Port: null })
    },
    NEEDS,
  ),

  behaviour(
    'with its last field an object is gone',
    async (context) => {
      const { crm, refused } = context
      const { ObjectID, ObjectName } = await boat(context)
      await crm.customObjects.delete({ ObjectID })
      for (const FieldName of ['HullLength', 'Harbour']) {
        assert.ok(await describedIn(crm, ObjectName))
        await crm.customFields.delete({ ObjectName, FieldName })
      }
      assert.equal(await describedIn(crm, ObjectName), undefined)
      await refused(crm.customFields.delete({ ObjectName, FieldName: 'Harbour' }), 'not_found', { field: 'ObjectName' })
    },
    NEEDS,
  ),

  behaviour(
    'an unknown field is not found, with the nearest name, and a field of another workspace is another field',
    async (context) => {
      const { crm, other, refused } = context
      const { ObjectName } = await boat(context)
      const nearest = { code: 'not_found', field: 'FieldName', didYouMean: 'Harbour' } as const
      await refused(retire(crm, ObjectName, 'Harbor'), 'not_found', nearest)
      await refused(crm.customFields.delete({ ObjectName, FieldName: 'Harbor' }), 'not_found', nearest)
      await refused(crm.customFields.delete({ ObjectName: `${ObjectName}s`, FieldName: 'Harbour' }), 'not_found', { didYouMean: ObjectName })
      await refused(crm.customFields.delete({ ObjectName, FieldName: 'OwnerID' }), 'not_found')
      await refused(crm.call('update_custom_field', { ObjectName, FieldName: 'Harbour', FieldsToUpdate: { Type: 'Number' } }), 'invalid_input', {
        field: 'FieldsToUpdate.Type',
        code: 'read_only',
      })
      await refused(retire(other, ObjectName, 'Harbour'), 'not_found')
      assert.equal((await describedIn(crm, ObjectName))?.length, 2)
    },
    NEEDS,
  ),

  behaviour(
    'a retired field makes room for another, and is brought back only where there is room',
    async ({ crm, unique, refused }) => {
      const ObjectName = unique('Wide')
      const fields = (from: number, to: number) =>
        Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`F${from + at}`, { Type: 'Number', Label: `F${from + at}` }] as const))
      const most = LIMITS.customFields
      await crm.customObjects.create({ ObjectName, Fields: fields(0, most) })
      const create = () => crm.customObjects.create({ ObjectName, Fields: fields(most, most + 1) })
      await refused(create(), 'invalid_input', { field: 'Fields', code: 'count' })
      await retire(crm, ObjectName, 'F0')
      assert.equal(Object.keys((await create()).Fields).length, most + 1)
      await refused(retire(crm, ObjectName, 'F0', false), 'invalid_input', { field: 'FieldsToUpdate.Retired', code: 'count' })
      await crm.customFields.delete({ ObjectName, FieldName: 'F1' })
      await retire(crm, ObjectName, 'F0', false)
    },
    NEEDS,
  ),

  behaviour(
    'a change of a field is undone, and so is that, but only the last one',
    async (context) => {
      const { crm, refused } = context
      const ObjectName = await emptyBoat(context)
      const id = `${ObjectName}.Harbour`
      const [before] = (await describedIn(crm, ObjectName)) ?? []
      const undo = async () => crm.changes.undo({ ChangeID: await justNow(context, id) })
      await crm.customFields.update({ ObjectName, FieldName: 'Harbour', FieldsToUpdate: { Label: 'Port', Retired: true } })
      const update = await justNow(context, id)
      const { Record } = await undo()
      assert.deepEqual([Record?.Label, Record?.Retired], ['Home harbour', false])
      assert.deepEqual((await describedIn(crm, ObjectName))?.[0], before)
      await refused(crm.changes.undo({ ChangeID: update }), 'conflict')
      await undo()
      assert.equal((await describedIn(crm, ObjectName))?.[0]?.Retired, true)
      await crm.customFields.delete({ ObjectName, FieldName: 'Harbour' })
      assert.equal((await undo()).RecordID, id)
      assert.equal((await describedIn(crm, ObjectName))?.[0]?.Label, 'Port')
      assert.equal((await undo()).Record, null)
      assert.deepEqual((await describedIn(crm, ObjectName))?.length, 1)
      assert.deepEqual(await linesOf(context, id), [
        'definition.deleted',
        'definition.restored',
        'definition.deleted',
        'definition.updated',
        'definition.updated',
        'definition.updated',
      ])
      await crm.customObjects.create({ ObjectName, Fields: DEFINED })
      await refused(undo(), 'conflict')
    },
    NEEDS,
  ),

  behaviour(
    'a restored field is not deleted again by an undo while a record has a value in it',
    async (context) => {
      const { crm, refused } = context
      const ObjectName = await emptyBoat(context)
      const undo = async () => crm.changes.undo({ ChangeID: await justNow(context, `${ObjectName}.Harbour`) })
      await crm.customFields.delete({ ObjectName, FieldName: 'Harbour' })
      await undo()
      await crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: 'Kiel' } } })
      await refused(undo(), 'conflict')
    },
    NEEDS,
  ),

  behaviour(
    'no undo brings a value back into a field that is gone or has another type',
    async (context) => {
      const { crm, refused } = context
      const [cleared, deleted] = [await calling(context), await calling(context)]
      await crm.customObjects.update({ ObjectID: cleared.ObjectID, FieldsToUpdate: { Port: null } })
      await crm.customObjects.delete({ ObjectID: deleted.ObjectID })
      for (const { ObjectID, ObjectName } of [cleared, deleted]) {
        const undo = async () => crm.changes.undo({ ChangeID: await justNow(context, ObjectID) })
        await crm.customFields.delete({ ObjectName, FieldName: 'Port' })
        await refused(undo(), 'conflict')
        await crm.customObjects.create({ ObjectName, Fields: { Port: PORTS } })
        await refused(undo(), 'conflict')
        await crm.customFields.delete({ ObjectName, FieldName: 'Port' })
        await crm.customObjects.create({ ObjectName, Fields: { Port: PORT } })
        await undo()
        assert.equal((await crm.customObjects.get({ ObjectID })).Values.Port, 'Kiel')
      }
    },
    NEEDS,
  ),

  behaviour(
    'a value that is written while its field is deleted never outlives the field',
    async (context) => {
      const { crm } = context
      const ObjectName = await emptyBoat(context)
      for (let round = 0; round < 5; round++) {
        const { ObjectID } = await crm.customObjects.create({ ObjectName, Fields: DEFINED })
        await Promise.allSettled([
          crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: 'Kiel' } } }),
          crm.customFields.delete({ ObjectName, FieldName: 'Harbour' }),
          crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: 'Rhodes' } }),
        ])
        const isThere = (await describedIn(crm, ObjectName))?.some(({ Name }) => Name === 'Harbour') ?? false
        if (!isThere) await crm.customObjects.create({ ObjectName, Fields: DEFINED })
        const { Records } = await crm.customObjects.getMany({ Filters: { ObjectName, Harbour: { ne: null } } })
        assert.ok(isThere || Records.length === 0, `${Records.length} values have outlived their field`)
        for (const record of Records) await crm.customObjects.delete({ ObjectID: record.ObjectID })
      }
    },
    NEEDS,
  ),

  behaviour(
    'a dry run of a batch knows of the values that it would write',
    async (context) => {
      const { ObjectID, ObjectName } = await context.crm.customObjects.create({ ObjectName: context.unique('Boat'), Fields: DEFINED })
      const write = { Operation: 'update_custom_object', Input: { ObjectID, FieldsToUpdate: { Harbour: 'Kiel' } } }
      const remove = { Operation: 'delete_custom_field', Input: { ObjectName, FieldName: 'Harbour' } }
      const statuses = async (...Operations: { Operation: string; Input: object }[]) =>
        (await context.crm.batch({ Operations }, { dryRun: true })).Results.map(({ Status }) => Status)
      assert.deepEqual(await statuses(remove, write), [200, 400])
      assert.deepEqual(await statuses(write, remove), [200, 409])
    },
    NEEDS,
  ),

  behaviour(
    'a key for definitions suffices, other callers may neither change a field nor undo that, and all who read custom objects are told',
    async (context) => {
      const { as, crm, refused } = context
      const { ObjectName } = await boat(context)
      const [admin, member, blind] = [await as({ role: 'admin', scopes: ['admin:Definition'] }), await as(), await as({ scopes: ['read:Lead'] })]
      await retire(admin.crm, ObjectName, 'Harbour')
      const ChangeID = await justNow(context, `${ObjectName}.Harbour`)
      const told = async (one: Client) => (await one.changes.getMany({ Filters: { ChangeID } })).Records.length
      assert.deepEqual([await told(member.crm), await told(blind.crm)], [1, 0])
      await refused(retire(member.crm, ObjectName, 'Harbour', false), 'forbidden')
      await refused(member.crm.changes.undo({ ChangeID }), 'forbidden')
      await refused((await as({ role: 'admin', scopes: ['read', 'write', 'delete'] })).crm.changes.undo({ ChangeID }), 'forbidden')
      await crm.changes.undo({ ChangeID })
    },
    NEEDS,
  ),
])
