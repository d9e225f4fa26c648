import { CrmError, type Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { faultsOf } from '../../core/schemas.ts'
import type { Members } from './shorten.ts'
import { type Steering, steeringOf } from './steering.ts'

export interface Arguments {
  /** What the operation takes. */
  readonly input: Members
  readonly steering: Steering
  /** What is wrong with the steering, or with the name of an argument. */
  readonly faults: readonly Fault[]
}

const schemas = new WeakMap<Operation, object>()

/** The input of the operation and what steers the call as one, with Filters left to the contract. */
function schemaOf(operation: Operation): object {
  let schema = schemas.get(operation)
  if (!schema) {
    const input = operation.input as unknown as { properties: Record<string, unknown> }
    const { Filters, ...properties } = input.properties
    schema = { ...input, properties: { ...properties, ...(Filters !== undefined && { Filters: {} }), ...steeringOf(operation) } }
    schemas.set(operation, schema)
  }
  return schema
}

/** Tells the input of an operation from what steers the call. */
export function readArguments(operation: Operation, given: Members): Arguments {
  const names = Object.keys(steeringOf(operation))
  const steers = (field: string) => names.includes(field)
  const faults = faultsOf(schemaOf(operation) as Record<string, unknown>, given).filter(({ field, code }) => steers(field) || (code === 'unknown' && !field.includes('.')))
  const members = Object.entries(given)
  return {
    input: Object.fromEntries(members.filter(([name]) => !steers(name))),
    steering: Object.fromEntries(members.filter(([name]) => steers(name))),
    faults,
  }
}

/** A refusal by the contract, with our own faults in the place of those it could not know better. */
export function withFaults(refusal: CrmError, faults: readonly Fault[]): CrmError {
  const ours = new Set(faults.map(({ field }) => field))
  const errors = [...faults, ...(refusal.errors ?? []).filter(({ field }) => !ours.has(field))]
  const [operation] = refusal.message.split(':')
  const message = `${operation}: ${errors[0]?.message}${errors.length > 1 ? ` There are ${errors.length} faults in all.` : ''}`
  return new CrmError('invalid_input', message, { errors, ...(refusal.hint !== undefined && { hint: refusal.hint }) })
}
