import { CrmError, type Fault } from '../../contract/errors.ts'
import { distance } from '../../contract/names.ts'
import type { Operation } from '../../contract/operation.ts'
import { refuse } from '../../core/call/check.ts'
import { faultsOf } from '../../core/call/schemas.ts'
import { type OptionArguments, optionSchemas } from './option-arguments.ts'
import type { Members } from './truncate.ts'

export interface Arguments {
  readonly input: Members
  readonly options: OptionArguments
  /** Faults of the options, and unknown arguments, by the name of the argument. */
  readonly faults: ReadonlyMap<string, Fault>
}

const schemas = new WeakMap<Operation, object>()

/** One schema for the input of an operation and the options of the call. Filters are checked by the contract alone. */
function schemaOf(operation: Operation): object {
  let schema = schemas.get(operation)
  if (!schema) {
    const input = operation.input as unknown as { properties: Record<string, unknown> }
    schema = { ...input, properties: { ...input.properties, ...('Filters' in input.properties && { Filters: {} }), ...optionSchemas(operation) } }
    schemas.set(operation, schema)
  }
  return schema
}

/** Splits arguments into the input of the operation and the options of the call. */
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
 * Refuses a call with bad options through the contract, so that all faults are reported at once and the refusal is in the audit. The bad
 * options are passed as input, where they are unknown fields, so the call is never executed.
 */
export async function refuseBadOptions(read: Arguments, call: (input: Members) => Promise<unknown>): Promise<void> {
  const wrong = Object.entries(read.options).filter(([name]) => read.faults.has(name))
  if (wrong.length === 0) return
  await call({ ...read.input, ...Object.fromEntries(wrong) })
  throw new CrmError('internal', 'A call with bad options was executed.')
}

/** A refusal in terms of the tool's arguments, which are the input and the options. */
export function explainRefusal(operation: Operation, { options, faults }: Arguments, error: unknown): unknown {
  if (faults.size === 0 || !(error instanceof CrmError) || error.code !== 'invalid_input') return error
  // An unknown argument is reported as by every transport, unless its nearest name is an option.
  const optionMeant = ({ field, didYouMean }: Fault) =>
    Object.hasOwn(options, field) ? field : didYouMean !== undefined && didYouMean in optionSchemas(operation) ? didYouMean : undefined
  return refuse(
    operation,
    (error.errors ?? []).map((fault) => {
      const own = faults.get(fault.field)
      const option = own && optionMeant(own)
      return own && option !== undefined && !isRatherHeld(operation, fault, option) ? own : fault
    }),
  )
}

/** Whether a name is at least as near to a declared field at another level, which it is told the place of, as to an option. */
function isRatherHeld({ input }: Operation, { field, didYouMean = '' }: Fault, option: string): boolean {
  const [holder = '', name = ''] = didYouMean.split('.')
  const { properties } = input as unknown as { properties: { readonly [holder: string]: { readonly properties?: object } } }
  if (!Object.hasOwn(properties[holder]?.properties ?? {}, name)) return false
  const edits = (known: string) => distance(field.toLowerCase(), known.toLowerCase(), field.length)
  return edits(name) <= edits(option)
}
