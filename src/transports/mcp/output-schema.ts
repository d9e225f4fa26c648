import type { Operation } from '../../contract/operation.ts'
import { receiptMembers } from './receipt.ts'
import { type ObjectSchema, type Schema, typed } from './schema.ts'

/** Members of pages and summaries. */
const ENVELOPE = ['Records', 'Events', 'NextCursor', 'Total', 'RecordTypes', 'CustomObjects']

/**
 * The ids and the page members of a tool's answer. Nothing is required: clients validate every answer against this, and refusals, dry
 * runs and plans are answers too.
 */
export function outputSchemaOf(operation: Operation): ObjectSchema {
  const { properties } = operation.output as unknown as { properties: Record<string, Schema> }
  const shape = (names: readonly string[]) => names.flatMap((name) => (properties[name] ? [[name, typed(properties[name].type ?? 'string')]] : []))
  if (operation.effect === 'read') return { type: 'object', properties: Object.fromEntries(shape([operation.record.id, ...ENVELOPE])) }
  return { type: 'object', properties: { ...Object.fromEntries(shape(receiptMembers(operation))), ChangeID: { type: 'string' } } }
}
