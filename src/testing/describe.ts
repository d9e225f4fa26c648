import assert from 'node:assert/strict'
import { FAMILIES, FIELD_KINDS } from '../contract/fields.ts'
import { OPERATIONS, recordType } from '../contract/operations.ts'
import { behaviour, theme } from './behaviour.ts'

/** The record types whose operations the source document has. */
const SOURCE = ['Lead', 'Opportunity', 'Case', 'CustomObject']

export const describes = theme('describe', [
  behaviour('every field of a record type is described as the contract has it', async ({ crm, lacks }) => {
    const { RecordTypes, Platform } = await crm.describe({})
    assert.ok(Platform.length > 0)
    for (const name of [...SOURCE, 'Campaign', 'User', 'Key', 'Change', 'Webhook', 'Delivery', 'Attempt', 'Plan']) {
      const described = RecordTypes.find(({ Name }) => Name === name)
      assert.ok(described, `${name} is described`)
      const type = recordType(name)
      assert.equal(described.IDField, type.id)
      for (const [field, declared] of Object.entries(type.fields)) {
        const found: (typeof described.Fields)[number] | undefined = described.Fields.find(({ Name }) => Name === field)
        if (declared.access === 'secret') {
          assert.equal(found, undefined, `${name}.${field} must not be described`)
          continue
        }
        assert.ok(found, `${name}.${field} is described`)
        const family = FIELD_KINDS[declared.kind]
        // A platform may insist on a value, and what it has no place for can be neither set nor searched by.
        const insisted: boolean = lacks('full fields') && declared.access === 'write' && found.Required
        const absent: boolean = lacks('full fields') && declared.access === 'write' && !found.Writable
        assert.deepEqual(
          { Label: found.Label, Required: found.Required, Writable: found.Writable, Operators: found.Operators },
          {
            Label: declared.label,
            Required: (declared.required && !absent) || insisted,
            Writable: declared.access === 'write' && !absent,
            Operators: family && !absent ? [...FAMILIES[family].operators] : [],
          },
          `${name}.${field}`,
        )
      }
    }
  }),

  behaviour('closed value sets are distinguished from open ones', async ({ crm, lacks }) => {
    const { RecordTypes } = await crm.describe({})
    const field = (type: string, name: string) => RecordTypes.find(({ Name }) => Name === type)?.Fields.find(({ Name }) => Name === name)
    assert.deepEqual(field('User', 'Role')?.AllowedValues, ['admin', 'manager', 'member'])
    assert.ok(field('Lead', 'Status')?.AllowedValues ?? field('Lead', 'Status')?.SuggestedValues?.includes('Open'))
    assert.equal(field('Lead', 'FirstName')?.AllowedValues, null)
    const lengths = [field('Lead', 'FirstName')?.MaxLength, field('Case', 'Description')?.MaxLength]
    if (!lacks('full fields')) assert.deepEqual(lengths, [255, 32_000])
    for (const length of lengths) assert.ok(Number(length) > 0)
  }),

  behaviour('the stages and statuses that count as closed are named', async ({ crm, values }) => {
    const { RecordTypes } = await crm.describe({})
    const closed = (type: string) => RecordTypes.find(({ Name }) => Name === type)?.ClosedStates
    assert.ok(closed('Opportunity')?.Won?.includes(values.wonStages[0]))
    assert.ok(closed('Opportunity')?.Lost?.includes(values.lostStages[0]))
    assert.ok(closed('Case')?.Closed?.includes(values.closedStatuses[0]))
    assert.equal(closed('Lead'), undefined)
  }),

  behaviour('the operations of every record type are named', async ({ crm }) => {
    const { RecordTypes } = await crm.describe({})
    for (const name of SOURCE) {
      const described = RecordTypes.find(({ Name }) => Name === name)
      for (const { id } of OPERATIONS.filter(({ record, extension }) => record.name === name && !extension))
        assert.ok(described?.Operations.includes(id), `${name} names ${id}`)
    }
  }),

  behaviour('RecordType narrows the answer to one type', async ({ crm, refused }) => {
    const { RecordTypes } = await crm.describe({ RecordType: 'Opportunity' })
    assert.deepEqual(
      RecordTypes.map(({ Name }) => Name),
      ['Opportunity'],
    )
    await refused(crm.describe({ RecordType: 'Oportunity' }), 'invalid_input', { field: 'RecordType', didYouMean: 'Opportunity' })
    await refused(crm.describe({ RecordType: 'constructor' }), 'invalid_input', { field: 'RecordType' })
    assert.equal((await crm.describe({ RecordType: null })).RecordTypes.length > 1, true)
  }),

  behaviour("the workspace's own objects are described to all of its users and to no others", async ({ crm, as, other, unique }) => {
    const ObjectName = unique('Boat')
    await crm.customObjects.create({
      ObjectName,
      Fields: { HullLength: { Type: 'Number', Label: 'Hull length' }, Harbour: { Type: 'String', Label: 'Home harbour' } },
    })
    for (const someone of [crm, (await as()).crm]) {
      const found = (await someone.describe({})).CustomObjects.find((one) => one.ObjectName === ObjectName)
      const fields = found?.Fields.map(({ Name, Type, Label, Required, Writable, Operators }) => ({ Name, Type, Label, Required, Writable, Operators })).sort(
        (a, b) => (a.Name < b.Name ? -1 : 1),
      )
      assert.deepEqual(fields, [
        { Name: 'Harbour', Type: 'String', Label: 'Home harbour', Required: false, Writable: true, Operators: [...FAMILIES.text.operators] },
        { Name: 'HullLength', Type: 'Number', Label: 'Hull length', Required: false, Writable: true, Operators: [...FAMILIES.number.operators] },
      ])
    }
    assert.ok(!JSON.stringify(await other.describe({})).includes(ObjectName))
  }),
])
