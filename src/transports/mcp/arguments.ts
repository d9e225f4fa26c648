import type { CrmError, Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { refuse } from '../../core/check.ts'
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

/** A refusal by the contract, with our own faults where it could not know better. */
export function withFaults(operation: Operation, refusal: CrmError, faults: readonly Fault[]): CrmError {
  const ours = new Set(faults.map(({ field }) => field))
  return refuse(operation, [...faults, ...(refusal.errors ?? []).filter(({ field }) => !ours.has(field))])
}
