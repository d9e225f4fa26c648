import type { Operation } from '../../contract/operation.ts'
import { receiptMembers } from './receipt.ts'
import { type ObjectSchema, type Schema, typed } from './schema.ts'

/** What a read is wrapped in: pages and figures. */
const ENVELOPE = ['Records', 'Events', 'NextCursor', 'Total', 'RecordTypes', 'CustomObjects']

/**
 * The ids and the envelope of what a tool answers with. Nothing is required, since a refusal, a dry run and a plan are answers too,
 * and clients hold every answer against this.
 */
export function outputSchemaOf(operation: Operation): ObjectSchema {
  const { properties } = operation.output as unknown as { properties: Record<string, Schema> }
  const shape = (names: readonly string[]) => names.flatMap((name) => (properties[name] ? [[name, typed(properties[name].type ?? 'string')]] : []))
  if (operation.effect === 'read') return { type: 'object', properties: Object.fromEntries(shape([operation.record.id, ...ENVELOPE])) }
  return { type: 'object', properties: { ...Object.fromEntries(shape(receiptMembers(operation))), ChangeID: { type: 'string' } } }
}
