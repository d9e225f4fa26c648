import type { Operation } from '../../contract/operation.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'

export type Values = { readonly [field: string]: unknown }

/** Values of a record type, and where in the input they are. */
export interface WrittenValues {
  readonly type: RecordType
  readonly at: string
  readonly values: Values
}

/** The values that an input sets. */
export function writtenBy({ verb, record, nested }: Operation, input: Values): WrittenValues[] {
  if (verb === 'create' || verb === 'upsert' || verb === 'createCustom') return [{ type: record, at: '', values: input }]
  if (verb === 'update') return [{ type: record, at: 'FieldsToUpdate.', values: Object(input.FieldsToUpdate) as Values }]
  if (verb === 'link') return [{ type: recordType('Membership'), at: '', values: input }]
  const child = verb === 'attach' ? record.children.find(({ type }) => Object.hasOwn(input, type)) : undefined
  if (child) return [{ type: recordType(child.type), at: '', values: input }]
  return Object.entries(nested).map(([member, type]) => ({ type, at: `${member}.`, values: Object(input[member]) as Values }))
}
