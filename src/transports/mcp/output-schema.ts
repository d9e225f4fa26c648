import type { Operation } from '../../contract/operation.ts'
import { UNLISTED } from './option-arguments.ts'
import { receiptMembers } from './receipt.ts'
import type { ObjectSchema, Schema } from './schema.ts'

/**
 * The ids of a tool's answer, or its list. Nothing is required and all else is allowed: clients refuse an answer that its schema does not allow, and dry runs,
 * refusals, confirmations and answers that were cut are answers too.
 */
export function outputSchemaOf(operation: Operation): ObjectSchema {
  const { properties } = operation.output as unknown as Properties
  const members = newMembers(operation)
  const named = members.length > 0 ? members : [operation.record.id]
  return { type: 'object', properties: Object.fromEntries(named.map((name) => [name, { type: properties[name]?.type ?? 'string' }])) }
}

/** Those that the caller has not given. */
export const newMembers = (operation: Operation): string[] => (operation.effect === 'read' ? readMembers(operation) : writtenMembers(operation))

type Properties = { readonly properties: { readonly [name: string]: Schema } }

/** The id of the record, unless the caller has given it, or else the first of the lists. */
function readMembers({ input, output, record }: Operation): string[] {
  const { properties: given } = input as unknown as Properties
  const { properties } = output as unknown as Properties
  const isList = (name: string) => properties[name]?.type === 'array' && !UNLISTED.has(name)
  const [first] = Object.keys(properties).filter((name) => name === record.id || isList(name))
  return first === undefined || first in given ? [] : [first]
}

/** The ids that the caller has not given. What an undo is about is told by the change that it takes. */
function writtenMembers(operation: Operation): string[] {
  if (operation.verb === 'undoChange') return []
  const { properties } = operation.input as unknown as Properties
  const { properties: answered } = operation.output as unknown as Properties
  const isGiven = (name: string) => name.replace(/^Undone/, '') in properties
  // Some clients take no type that may be null.
  return receiptMembers(operation).filter((name) => name.endsWith('ID') && !isGiven(name) && typeof answered[name]?.type === 'string')
}
