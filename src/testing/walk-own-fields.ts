import assert from 'node:assert/strict'
import type { Operation, Verb } from '../contract/operation.ts'
import type { Context } from './behaviour.ts'
import type { Row } from './records.ts'
import { answered, type Proof, type Proofs, readBack } from './walk-samples.ts'
import { changeOf, definedField } from './writes.ts'

const stored = (context: Context, { record }: Operation, { RecordType, FieldName }: Row) => readBack(context, record, `${RecordType}.${FieldName}`)

/** What is given is what is defined. */
const defines =
  (given: Row): Proof =>
  async (context, operation) => {
    const FieldName = context.unique('Own')
    const input = { RecordType: 'Campaign', FieldName, Kind: 'text', ...given }
    try {
      const answer = await answered(context, operation, input)
      const field = await stored(context, operation, input)
      for (const [name, value] of Object.entries(input)) assert.deepEqual([answer[name], field?.[name]], [value, value], name)
    } finally {
      // A required field would be asked for by all others.
      if (given.Required) await context.crm.call('retire_field', { RecordType: 'Campaign', FieldName })
    }
  }

/** Of two fields, the one that is named is meant. */
const named: Proof = async (context, operation) => {
  const [first, second] = [await definedField(context), await definedField(context)]
  const before = await stored(context, operation, second)
  const answer = await answered(context, operation, { ...first, ...changeOf(operation) })
  assert.deepEqual([answer.RecordType, answer.FieldName], [first.RecordType, first.FieldName])
  assert.deepEqual(await stored(context, operation, first), without(answer, 'UpdatedFields'))
  assert.deepEqual(await stored(context, operation, second), before)
}

const without = (row: Row, name: string): Row => Object.fromEntries(Object.entries(row).filter(([member]) => member !== name))

export const OWN_FIELDS: { readonly [V in Verb]?: Proofs } = {
  defineField: {
    RecordType: defines({ RecordType: 'Company' }),
    FieldName: defines({}),
    Kind: defines({ Kind: 'money' }),
    Label: defines({ Label: 'Hull length' }),
    Values: defines({ Kind: 'choice', Values: ['East', 'West'] }),
    RefersTo: defines({ Kind: 'reference', RefersTo: 'Contact' }),
    Required: defines({ Required: true }),
    Unique: defines({ Unique: true }),
    Indexed: defines({ Indexed: true }),
  },
  updateOwnField: {
    RecordType: named,
    FieldName: named,
    async FieldsToUpdate(context, operation) {
      const FieldName = context.unique('Own')
      const field = { RecordType: 'Campaign', FieldName }
      await context.crm.call('define_field', { ...field, Kind: 'choice', Values: ['East'], Unique: true })
      try {
        for (const [name, value] of Object.entries({ Label: 'Side', Values: ['West', 'East'], Unique: false, Required: true })) {
          const answer = await answered(context, operation, { ...field, FieldsToUpdate: { [name]: value } })
          assert.deepEqual([answer[name], (await stored(context, operation, field))?.[name], answer.UpdatedFields], [value, value, [name]])
        }
        for (const [name, value] of Object.entries({ Kind: 'text', RefersTo: 'Lead', Indexed: false }))
          await context.refused(context.crm.call(operation.id, { ...field, FieldsToUpdate: { [name]: value } }), 'conflict', {
            field: `FieldsToUpdate.${name}`,
          })
      } finally {
        await context.crm.call('retire_field', field)
      }
    },
  },
  retireField: { RecordType: named, FieldName: named },
}
