import { batchInput } from '../../contract/batch.ts'
import type { Fault } from '../../contract/errors.ts'
import { operationNamed } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import { asOption, belongs, optionNamed, withLevel } from '../call/levels.ts'
import { faultsOf } from '../call/schemas.ts'

/** The faults of a batch by its schema. A name that is known at another level is told its place. */
export const batchFaults = (schema: Parameters<typeof faultsOf>[0], batch: unknown): Fault[] =>
  faultsOf(schema, batch).map((fault) => (fault.code === 'unknown' ? placed(fault, batch) : fault))

const CALL = batchInput.properties.Operations.items.properties

function placed(fault: Fault, batch: unknown): Fault {
  const [first = '', index = '', name, ...rest] = fault.field.split('.')
  if (index === '') return Object.hasOwn(CALL, first) ? belongs(fault, `Operations.0.${first}`, `${first} belongs in a member of Operations.`) : fault
  if (name === undefined || rest.length > 0) return fault
  const option = optionNamed(name)
  if (option === 'IdempotencyKey') return belongs(fault, `Operations.${index}.Key`, `${name} of a call is its Key.`)
  if (option) return asOption(fault, option, 'belongs beside Operations: it is an option of the whole batch')
  const place = placeIn(callOf(batch, Number(index)), { ...fault, field: name })
  if (place === undefined) return fault
  const holder = ['Input', ...place.split('.').slice(0, -1)].join('.')
  return belongs(fault, `Operations.${index}.Input.${place}`, `${name} belongs in ${holder}.`)
}

/** The operation that a member of a batch names. */
function callOf(batch: unknown, index: number) {
  const call: unknown = isObject(batch) && Array.isArray(batch.Operations) ? batch.Operations[index] : undefined
  return isObject(call) && typeof call.Operation === 'string' ? operationNamed(call.Operation) : undefined
}

/** Where the input of an operation has a name; undefined where it has none such, or where it is rather a slip. */
function placeIn(operation: ReturnType<typeof operationNamed>, fault: Fault): string | undefined {
  if (!operation) return undefined
  const { properties } = operation.input as unknown as { readonly properties: object }
  if (Object.hasOwn(properties, fault.field)) return fault.field
  return fault.didYouMean === undefined ? withLevel(operation, fault).didYouMean : undefined
}
