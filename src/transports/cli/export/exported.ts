import { CrmError } from '../../../contract/errors.ts'
import { fold, nearest } from '../../../contract/names.ts'
import type { Operation } from '../../../contract/operation.ts'
import { OPERATIONS, quote } from '../../../contract/operations.ts'

/** The operations of which the answers can be exported: all that answer page by page with records of a type, or with events. */
const EXPORTED: readonly Operation[] = OPERATIONS.filter(({ verb }) => verb === 'getMany' || verb === 'getAttached' || verb === 'getEvents')

/** What an operation answers with many of. */
export const kindOf = ({ verb, record }: Operation): { readonly name: string; readonly plural: string } =>
  verb === 'getEvents' ? { name: 'Event', plural: 'events' } : record

/** How records of a type are called on the command line: custom_objects. */
export const nameOf = (operation: Operation) => kindOf(operation).plural.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const EXPORTED_NAMES: readonly string[] = EXPORTED.map(nameOf)

const bare = (name: string) => fold(name).replaceAll('_', '')

/** The operation that answers with what was named, in any spelling. */
export function exportedBy(name: string): Operation | undefined {
  return EXPORTED.find((one) => [kindOf(one).name, kindOf(one).plural, one.id].map(bare).includes(bare(name)))
}

/** The same operation without what asks for a part of the answer: all of it is exported. */
export function unpaged(operation: Operation): Operation {
  const input = operation.input as unknown as { readonly properties: { readonly [name: string]: unknown } }
  const { Limit, Cursor, ...properties } = input.properties
  return { ...operation, input: { ...input, properties } as unknown as Operation['input'] }
}

export function unknownRecords(name: string): CrmError {
  const [near] = nearest(fold(name), EXPORTED_NAMES)
  return new CrmError('invalid_input', `There are no records called ${quote(name)} to export.`, {
    hint: `There are ${EXPORTED_NAMES.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  })
}
