import { CrmError, type Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { refuse } from '../../core/call/check.ts'
import { faultsOf } from '../../core/call/schemas.ts'
import { type OptionArguments, optionSchemas } from './option-arguments.ts'
import type { Members } from './truncate.ts'

export interface Arguments {
  /** What the operation takes. */
  readonly input: Members
  readonly options: OptionArguments
  /** What is wrong with what steers the call, and which arguments there are not, by the name of the argument. */
  readonly faults: ReadonlyMap<string, Fault>
}

const schemas = new WeakMap<Operation, object>()

/** The input of an operation and what steers the call as one. What Filters hold is left to the contract. */
function schemaOf(operation: Operation): object {
  let schema = schemas.get(operation)
  if (!schema) {
    const input = operation.input as unknown as { properties: Record<string, unknown> }
    schema = { ...input, properties: { ...input.properties, ...('Filters' in input.properties && { Filters: {} }), ...optionSchemas(operation) } }
    schemas.set(operation, schema)
  }
  return schema
}

/** Tells the input of an operation from what steers the call. */
export function readArguments(operation: Operation, given: Members): Arguments {
  const names = Object.keys(optionSchemas(operation))
  const faulty = faultsOf(schemaOf(operation) as Record<string, unknown>, given).filter(
    ({ field, code }) => names.includes(field) || (code === 'unknown' && Object.hasOwn(given, field)),
  )
  const members = Object.entries(given)
  return {
    input: Object.fromEntries(members.filter(([name]) => !names.includes(name))),
    options: Object.fromEntries(members.filter(([name]) => names.includes(name))),
    faults: new Map(faulty.map((fault) => [fault.field, fault])),
  }
}

/**
 * Has the contract refuse a call whose options makes no sense, so that every fault is named at once and the audit has a line of it. What is
 * wrong is handed over as if it were input, which the contract does not know: it cannot be carried out.
 */
export async function refuseBadOptions(read: Arguments, call: (input: Members) => Promise<unknown>): Promise<void> {
  const wrong = Object.entries(read.options).filter(([name]) => read.faults.has(name))
  if (wrong.length === 0) return
  await call({ ...read.input, ...Object.fromEntries(wrong) })
  throw new CrmError('internal', 'What makes no sense was carried out.')
}

/** What a call was refused with, in the words of whoever calls a tool: its arguments are the input and what steers the call. */
export function explainRefusal(operation: Operation, { options, faults }: Arguments, error: unknown): unknown {
  if (faults.size === 0 || !(error instanceof CrmError) || error.code !== 'invalid_input') return error
  // Of what nobody knows the contract tells as through every door, unless it was meant to steer.
  const isOurs = ({ field, didYouMean }: Fault) => Object.hasOwn(options, field) || (didYouMean !== undefined && didYouMean in optionSchemas(operation))
  return refuse(
    operation,
    (error.errors ?? []).map((fault) => {
      const ours = faults.get(fault.field)
      return ours && isOurs(ours) ? ours : fault
    }),
  )
}
