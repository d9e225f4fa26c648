import assert from 'node:assert/strict'
import { behaviour, type Context, theme } from './behaviour.ts'
import { lastChange } from './writes.ts'

const RIG = { Type: 'Choice', Label: 'Rig', Values: ['Sloop', 'Ketch', 'Yawl'] } as const
const GEAR = { Type: 'Choices', Label: 'Gear', Values: ['Anchor', 'Radar', 'Sonar'] } as const

/** An object with a choice and a list of choices, which these behaviours share. */
const rigged = ({ boats }: Pick<Context, 'boats'>) => `${boats}_rigged`

const described = async ({ crm }: Pick<Context, 'crm'>, object: string, field: string) =>
  (await crm.describe({ RecordType: 'CustomObject' })).CustomObjects.find(({ ObjectName }) => ObjectName === object)?.Fields.find(({ Name }) => Name === field)

export const customKinds = theme('custom objects, choices and references', [
  behaviour('a choice is one of its values, several choices are a list of them; both are read, written, found and described as such', async (context) => {
    const { crm: admin, as, refused } = context
    const { crm } = await as()
    const ObjectName = rigged(context)
    const Fields = { Rig: { ...RIG, Value: 'Ketch' }, Gear: { ...GEAR, Value: ['Anchor', 'Sonar'] } }
    const one = await crm.customObjects.create({ ObjectName, Fields })
    assert.deepEqual([one.Values.Rig, one.Values.Gear], ['Ketch', ['Anchor', 'Sonar']])
    assert.deepEqual([one.Fields.Rig, one.Fields.Gear], [RIG, GEAR])
    assert.deepEqual(await crm.customObjects.get({ ObjectID: one.ObjectID }), one)
    const two = await crm.customObjects.create({ ObjectName, Fields: { Rig: { Type: 'String', Value: 'Yawl' } } })
    assert.deepEqual([two.Values.Rig, two.Values.Gear], ['Yawl', null])
    const found = async (Filters: { readonly [name: string]: unknown }) =>
      (await crm.customObjects.getMany({ Filters: { ObjectName, ...Filters } as never })).Records.map(({ ObjectID }) => ObjectID).sort()
    assert.deepEqual(await found({ Rig: 'Ketch' }), [one.ObjectID])
    assert.deepEqual(await found({ Gear: { contains: 'Sonar' } }), [one.ObjectID])
    assert.deepEqual(await found({ Gear: { contains: 'Radar' } }), [])
    assert.deepEqual(await found({ Gear: null }), [two.ObjectID])
    const { errors: [listed] = [] } = await refused(found({ Gear: ['Anchor', 'Sonar'] }), 'invalid_input', { field: 'Filters.Gear', code: 'type' })
    assert.match(listed?.expected ?? '', /^\{ "contains": /)
    assert.deepEqual(await found({ any: [{ Gear: { contains: 'Radar' } }, { Gear: { contains: 'Sonar' } }] }), [one.ObjectID])
    const update = (FieldsToUpdate: { readonly [name: string]: unknown }) => crm.customObjects.update({ ObjectID: one.ObjectID, FieldsToUpdate } as never)
    assert.deepEqual((await update({ Gear: ['Radar'], Rig: 'Sloop' })).Values, { ...one.Values, Gear: ['Radar'], Rig: 'Sloop' })
    assert.deepEqual([await found({ Gear: { contains: 'Radar' } }), await found({ Gear: { contains: 'Sonar' } })], [[one.ObjectID], []])
    assert.equal((await update({ Gear: [] })).Values.Gear, null)
    const gear = await described({ crm: admin }, ObjectName, 'Gear')
    assert.deepEqual([gear?.Type, gear?.AllowedValues, gear?.Operators], ['Choices', GEAR.Values, ['contains', 'eq', 'ne']])
  }),

  behaviour('a value that a choice does not have is refused with the nearest, and nothing is written', async (context) => {
    const { as, refused } = context
    const { crm } = await as()
    const ObjectName = rigged(context)
    const { ObjectID, Values } = await crm.customObjects.create({ ObjectName, Fields: { Rig: { ...RIG, Value: 'Ketch' }, Gear: GEAR } })
    const create = (Fields: object) => crm.call('create_custom_object', { ObjectName, Fields })
    const update = (FieldsToUpdate: object) => crm.call('update_custom_object', { ObjectID, FieldsToUpdate })
    await refused(create({ Rig: { Value: 'Kech' } }), 'invalid_input', { field: 'Fields.Rig.Value', code: 'value', didYouMean: 'Ketch' })
    await refused(create({ Gear: { Value: ['Radar', 'Sonr'] } }), 'invalid_input', { field: 'Fields.Gear.Value.1', code: 'value', didYouMean: 'Sonar' })
    await refused(update({ Rig: 'Kech' }), 'invalid_input', { field: 'FieldsToUpdate.Rig', code: 'value', didYouMean: 'Ketch' })
    await refused(update({ Gear: 'Radar' }), 'invalid_input', { field: 'FieldsToUpdate.Gear', code: 'type' })
    await refused(create({ Rig: { Values: ['Junk'], Value: 'Junk' } }), 'conflict', { field: 'Fields.Rig.Values' })
    await refused(crm.call('get_many_custom_objects', { Filters: { ObjectName, Gear: 'Radar' } }), 'invalid_input', { field: 'Filters.Gear' })
    const byList = { ObjectName, Fields: { Gear: { Value: ['Radar'] } }, MatchBy: ['Gear'] }
    await refused(crm.call('upsert_custom_object', byList), 'invalid_input', { field: 'MatchBy.0' })
    for (const wrong of [
      { ...RIG, RefersTo: 'Lead' },
      { Type: 'Number', Label: 'x', Values: ['a'] },
      { Type: 'Reference', Label: 'x' },
      { ...RIG, Values: [] },
    ])
      await refused(create({ Other: wrong }), 'invalid_input')
    const unknown = { Type: 'Reference', Label: 'x', RefersTo: 'Compny' }
    await refused(create({ Other: unknown }), 'invalid_input', { field: 'Fields.Other.RefersTo', didYouMean: 'Company' })
    assert.deepEqual((await crm.customObjects.get({ ObjectID })).Values, Values)
  }),

  behaviour(
    'a reference is checked, found by, described, and emptied with the record that it points to; undo brings it back',
    async (context) => {
      const { crm, as, unique, refused } = context
      const ObjectName = unique('Boat')
      const { CompanyID } = await crm.companies.create({ CompanyName: unique('Engines') })
      const BuilderID = { Type: 'Reference', Label: 'Builder', RefersTo: 'Company' } as const
      const boat = await crm.customObjects.create({ ObjectName, Fields: { BuilderID: { ...BuilderID, Value: CompanyID } } })
      const { ObjectID } = boat
      assert.deepEqual([boat.Values.BuilderID, boat.Fields.BuilderID], [CompanyID, BuilderID])
      await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { BuilderID: 'nothing' } }), 'not_found', { field: 'FieldsToUpdate.BuilderID' })
      const member = await as()
      const theirs = { ObjectName, Fields: { BuilderID: { Value: CompanyID } } }
      await refused(member.crm.customObjects.create(theirs), 'not_found', { field: 'Fields.BuilderID.Value' })
      const found = (await crm.customObjects.getMany({ Filters: { ObjectName, BuilderID: CompanyID } })).Records
      assert.deepEqual(
        found.map((one) => one.ObjectID),
        [ObjectID],
      )
      assert.equal((await described(context, ObjectName, 'BuilderID'))?.RefersTo, 'Company')
      assert.deepEqual((await crm.companies.delete({ CompanyID })).Emptied, { CustomObject: 1 })
      assert.equal((await crm.customObjects.get({ ObjectID })).Values.BuilderID, null)
      await crm.changes.undo({ ChangeID: (await lastChange(context, CompanyID)).ChangeID })
      assert.equal((await crm.customObjects.get({ ObjectID })).Values.BuilderID, CompanyID)
    },
    { needs: 'own fields' },
  ),

  behaviour(
    'the values of a choice can be changed; records keep those that are gone',
    async (context) => {
      const { crm, unique, refused } = context
      const ObjectName = unique('Boat')
      const { ObjectID } = await crm.customObjects.create({ ObjectName, Fields: { Rig: { ...RIG, Value: 'Ketch' } } })
      const change = (FieldsToUpdate: object) => crm.call('update_custom_field', { ObjectName, FieldName: 'Rig', FieldsToUpdate })
      await change({ Values: ['Sloop', 'Junk'] })
      assert.equal((await crm.customObjects.get({ ObjectID })).Values.Rig, 'Ketch')
      await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { Rig: 'Yawl' } }), 'invalid_input', { field: 'FieldsToUpdate.Rig' })
      assert.equal((await crm.customObjects.update({ ObjectID, FieldsToUpdate: { Rig: 'Junk' } })).Values.Rig, 'Junk')
      await change({ Values: null })
      assert.equal((await crm.customObjects.update({ ObjectID, FieldsToUpdate: { Rig: 'Raft' } })).Values.Rig, 'Raft')
    },
    { needs: 'own fields' },
  ),
])
