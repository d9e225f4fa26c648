import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { type Behaviour, behaviour, theme } from './behaviour.ts'
import type { Row } from './records.ts'
import { askedOf, lastChange, needsOf, WRITING } from './writes.ts'

/** The operations that set fields of a record that is there already, and say which. */
const SETTING = WRITING.filter(({ output }) => 'UpdatedFields' in (output as unknown as { readonly properties: object }).properties)

/** The id of the record that was written, as the audit has it. */
function idOf({ record }: Operation, input: Row, answer: Row): string {
  if (record.name === 'Definition') return `${input.ObjectName}.${input.FieldName}`
  if (record.name === 'OwnField') return `${input.RecordType}.${input.FieldName}`
  return answer[record.id] as string
}

const unchanged = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name} with the values that the record has is no change, and says so`,
    async (context) => {
      const { crm, unique } = context
      const { input } = await askedOf(context, operation)
      const first = (await crm.call(operation.id, input)) as Row
      const id = idOf(operation, input, first)
      const line = await lastChange(context, id)

      const options = { idempotencyKey: unique('again') }
      const again = (await crm.call(operation.id, input, options)) as Row
      assert.deepEqual([again.UpdatedFields, again.Created ?? false, again.Revision], [[], false, first.Revision])
      assert.deepEqual(await lastChange(context, id), line)
      assert.deepEqual(await crm.call(operation.id, input, options), again)
    },
    needsOf(operation),
  )

export const unchangedRecords = theme('updates that change nothing', SETTING.map(unchanged))
