import { WRITE_OPTIONS } from '../../contract/call-words.ts'
import type { Fault } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import type { Operation, Verb } from '../../contract/operation.ts'

interface Shape {
  readonly properties?: { readonly [name: string]: Shape }
  readonly additionalProperties?: unknown
}

/** The fault of a name or value that is known at another level of the input, with the place where it belongs; any other fault as it is. */
export function withLevel(operation: Operation, fault: Fault): Fault {
  const { properties = {} } = operation.input as Shape
  const [first = '', ...rest] = fault.field.split('.')
  if (rest.length === 1 && (fault.code === 'type' || fault.code === 'count')) return withMembers(properties[first], fault)
  if (fault.code !== 'unknown') return fault
  const isHeld = rest.length === 1 && (HOLDERS.includes(first) || Object.hasOwn(operation.nested, first))
  const option = operation.effect !== 'read' && (isHeld || rest.length === 0) ? optionNamed(rest[0] ?? first) : undefined
  if (option !== undefined) return asOption(fault, option, isHeld ? `belongs beside ${first}, not in it: it is an option of the call` : undefined)
  if (rest.length === 0) {
    const held = heldElsewhere(operation, first)
    if (held) return { field: first, code: fault.code, ...held }
    const holders = Object.entries(properties).filter(([name]) => HOLDERS.includes(name) || Object.hasOwn(operation.nested, name))
    const found =
      holders.flatMap(([holder, shape]) => namesIn(shape, first).map((name) => `${holder}.${name}`))[0] ??
      // User-defined fields have any name, so that one that is near a known name is rather a slip.
      (fault.didYouMean === undefined && !nearIn(holders, first, fault)
        ? holders.filter(([, shape]) => isOpen(shape)).map(([holder]) => `${holder}.${first}`)[0]
        : undefined)
    if (found !== undefined) return belongs(fault, found, `${first} belongs in ${found.split('.')[0]}.`)
    return nearIn(holders, first, fault) ?? fault
  }
  const [beside] = HOLDERS.includes(first) && rest.length === 1 ? namesIn({ properties }, rest[0] as string) : []
  return beside === undefined ? fault : belongs(fault, beside, `${beside} belongs beside ${first}, not in it.`)
}

export type WriteOption = keyof typeof WRITE_OPTIONS

/** The option that a name is, in the spelling of any transport. */
export function optionNamed(name: string): WriteOption | undefined {
  const bare = (text: string) => text.replace(/[-_]/g, '').toLowerCase()
  return (Object.keys(WRITE_OPTIONS) as WriteOption[]).find((one) => bare(one) === bare(name))
}

/** The fault of an option that was given as a part of the input. */
export function asOption({ field, code }: Fault, name: WriteOption, where = 'is an option of the call, and no part of its input'): Fault {
  const { header, flag, option } = WRITE_OPTIONS[name]
  const expected =
    `the header ${header} over HTTP, ${flag} on the command line, ${option} among the options of the SDK, ${name} among the arguments of a tool` +
    (name === 'IdempotencyKey' ? ', Key beside the Input of a call in a batch' : '')
  return { field, code, message: `${name} ${where}.`, expected }
}

/** The fault of a member that is no object, or an empty one, where members hold a value among other things, as definitions of fields do. */
function withMembers(holder: Shape | undefined, fault: Fault): Fault {
  const names = Object.keys((holder?.additionalProperties as Shape | undefined)?.properties ?? {})
  if (!names.includes('Value')) return fault
  if (fault.code === 'count') return { ...fault, expected: `at least one of ${names.join(', ')}` }
  const message = `${fault.message.replace(/\.$/, '')}: its value belongs in ${fault.field}.Value.`
  return { ...fault, message, expected: `an object with ${names.join(', ')}`, didYouMean: `${fault.field}.Value` }
}

/** The members of inputs that hold fields of a record to write, and those that hold any. */
const FIELD_HOLDERS: readonly string[] = ['FieldsToUpdate', 'Fields']
const WRITING_FIELDS: readonly Verb[] = ['create', 'upsert', 'update', 'createCustom', 'upsertCustom']
const HOLDERS: readonly string[] = [...FIELD_HOLDERS, 'Filters']

/** Where a write takes the fields that were given in the holder of another operation. */
function heldElsewhere({ name, verb, input }: Operation, holder: string): Pick<Fault, 'message' | 'expected' | 'didYouMean'> | undefined {
  if (!FIELD_HOLDERS.includes(holder) || !WRITING_FIELDS.includes(verb)) return undefined
  const own = FIELD_HOLDERS.find((one) => Object.hasOwn((input as Shape).properties ?? {}, one))
  if (own !== undefined) return { message: `${name} takes the fields of the record in ${own}.`, didYouMean: own }
  return { message: `${name} takes the fields of the record themselves, not in ${holder}.`, expected: 'the members of it, beside each other' }
}

const namesIn = ({ properties = {} }: Shape, given: string) => Object.keys(properties).filter((name) => name.toLowerCase() === given.toLowerCase())

/** The fault of a mistyped name that is near one of another level. */
function nearIn(holders: readonly (readonly [string, Shape])[], given: string, fault: Fault): Fault | undefined {
  if (fault.didYouMean !== undefined) return undefined
  const [near] = holders.flatMap(([holder, { properties = {} }]) => nearest(given, Object.keys(properties)).map((name) => ({ holder, name })))
  return near && belongs(fault, `${near.holder}.${near.name}`, `${fault.message.replace(/\.$/, '')}; ${near.name} belongs in ${near.holder}.`)
}

const isOpen = ({ additionalProperties }: Shape) => additionalProperties !== undefined && additionalProperties !== false

/** The fault of a name at the wrong level. */
export const belongs = ({ field, code }: Fault, didYouMean: string, message: string): Fault => ({ field, code, message, didYouMean })
