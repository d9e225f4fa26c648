import { type Command, Option } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import type { Field } from '../../contract/fields.ts'
import type { Operation } from '../../contract/operation.ts'
import { recordType } from '../../contract/operations.ts'
import { referencesOf } from '../../contract/record.ts'
import { isRow, type Row } from './cells.ts'
import { CLOSED_VALUES } from './closed-values.ts'
import { followed, listing, offering } from './offers.ts'
import { alternatives, inside, NOT, type Schema, typesOf, wordsOf } from './schema.ts'
import { Loose, readText } from './values.ts'

/** The inputs of an operation by name. */
export function inputsOf(operation: Operation): { readonly [name: string]: Schema } {
  return (operation.input as Schema).properties ?? {}
}

export const requiredOf = (operation: Operation) => (operation.input as Schema).required ?? []

/** A member of an input as a flag of its own: --FieldsToUpdate.Status, --Filters.Amount.gte. */
const DOTTED = /^--[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+(?=$|=)/

/** Offers the inputs of an operation as flags, those inside of others where they are given. */
export function inputFlags(command: Command, operation: Operation, words: readonly string[]): void {
  const inputs = inputsOf(operation)
  for (const [name, schema] of Object.entries(inputs)) {
    const schemas = alternatives(schema)
    const further = furtherField(operation, name)
    const help = further ? `${further.label}; ${further.kind}` : helpOf(name, schema, requiredOf(operation).includes(name))
    const option = flagOption(`--${name} ${placeholder(schemas)}`, schemas, offersFor(operation, [name], schemas), help)
    command.addOption(further ? option.helpGroup('Fields of this workspace:') : option)
  }
  for (const flag of new Set(words.flatMap((word) => DOTTED.exec(word)?.[0] ?? []))) {
    const path = flag.slice(2).split('.')
    if (!typesOf(schemasAt(inputs, path.slice(0, 1))).has('object')) continue
    const { schemas } = placeOf(flag.slice(2), operation)
    const option = flagOption(`${flag} ${isTruth(schemas) ? '[value]' : '<value>'}`, schemas, offersFor(operation, path, schemas)).hideHelp()
    command.addOption(followed(option, [...new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))]))
  }
}

/** The field that an input is, where only the workspace or its CRM has it. */
function furtherField({ record, verb }: Operation, name: string): Field | undefined {
  const field = (verb === 'create' || verb === 'upsert') && Object.hasOwn(record.fields, name) ? record.fields[name] : undefined
  return field?.extra ? field : undefined
}

/** A flag with the words that its value may be. A list may be given piece by piece. */
function flagOption(flags: string, schemas: readonly Schema[], words: readonly string[], help?: string): Option {
  const option = offering(new Option(flags, help), words)
  if (typesOf(schemas).has('array')) return listing(option, ',').argParser((value: string, before: readonly string[] = []) => [...before, value])
  return option.argParser((value: string, before?: unknown) => {
    if (before === undefined) return value
    throw new CrmError('invalid_input', `${option.long} was given more than once.`, { hint: 'It takes one value.' })
  })
}

/** Inputs whose values are names of fields. */
const NAMES_FIELDS = ['OrderBy', 'Select', 'MatchBy']

/** The words that an input or a member may be: by its schema or, for a filter, by the field that it is about. */
function offersFor({ record: own }: Operation, path: readonly string[], schemas: readonly Schema[]): readonly string[] {
  const [name, outer = '', inner = ''] = path.filter((word) => word !== NOT)
  const reference = name === 'Filters' && inner !== '' ? referencesOf(own).find((one) => one.name === outer) : undefined
  const [record, member] = reference ? [recordType(reference.refers), inner] : [own, outer]
  if (name !== undefined && member === '' && NAMES_FIELDS.includes(name))
    return Object.keys(record.fields).filter((field) => record.fields[field]?.access !== 'secret')
  const field = Object.hasOwn(record.fields, member) ? record.fields[member] : undefined
  const items = schemas.flatMap((schema) => (schema.items ? alternatives(schema.items) : []))
  const closed = field?.extra ? undefined : CLOSED_VALUES.get(member || (name ?? ''))
  return [wordsOf(schemas), wordsOf(items), closed ?? [], field?.closed ?? [], field?.suggested ?? []].find((words) => words.length > 0) ?? []
}

/** The flags that are worth offering for the members of inputs. */
export function memberFlags(operation: Operation): readonly string[] {
  return Object.entries(inputsOf(operation)).flatMap(([name, { properties = {} }]) => Object.keys(properties).map((member) => `--${name}.${member}`))
}

/** The filters by the records behind references whose values are worth offering: --Filters.Company.Industry. */
export function referenceFlags({ record, input }: Operation): readonly string[] {
  if (!Object.hasOwn((input as Schema).properties ?? {}, 'Filters')) return []
  return referencesOf(record).flatMap(({ name, refers }) =>
    Object.entries(recordType(refers).fields).flatMap(([field, { closed, suggested }]) => (closed || suggested ? [`--Filters.${name}.${field}`] : [])),
  )
}

/** What was given as flags, on top of what was given as a whole. */
export function withFlags(whole: Row, given: Row, operation: Operation): Row {
  const inputs = inputsOf(operation)
  const input: Record<string, unknown> = { ...whole }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(inputs, name) || value === undefined) continue
    put(input, [name], readFlag(value, schemasAt(inputs, [name]), `--${name}`))
  }
  for (const [name, value] of Object.entries(given)) {
    const { path, schemas } = placeOf(name, operation)
    if (path.length > 1 && Object.hasOwn(inputs, path[0] as string)) put(input, path, readFlag(value, schemas, `--${name}`))
  }
  return input
}

/** Whether an input, or a member of one, is in the contract. */
export const isInput = (name: string, operation: Operation) => placeOf(name, operation).schemas.length > 0

/** Whether any input was given as a flag. */
export const hasInputs = (given: Row, operation: Operation) =>
  Object.keys(given).some((name) => Object.hasOwn(inputsOf(operation), name.split('.')[0] as string))

/** An input as the flags that give it. */
export function asFlags(input: Row, operation: Operation): string[] {
  const inputs = inputsOf(operation)
  return Object.entries(input).flatMap(([name, value]) => {
    const schemas = schemasAt(inputs, [name])
    return leafFlags([name], value, schemas) ?? [`--${name}`, JSON.stringify(value)]
  })
}

/** The flags of a value and of all its members; undefined where it can only be given as a whole. */
function leafFlags(path: readonly string[], value: unknown, schemas: readonly Schema[]): string[] | undefined {
  const flag = `--${path.join('.')}`
  if (isRow(value) && Object.keys(value).length > 0) {
    const members = Object.entries(value).map(([member, one]) =>
      DOTTED.test(`${flag}.${member}`) ? leafFlags([...path, member], one, inside(schemas, member)) : undefined,
    )
    return members.every((words) => words !== undefined) ? members.flat() : undefined
  }
  const text = [Array.isArray(value) ? value.join(',') : String(value), JSON.stringify(value)].find((one) => readsAs(one, schemas, value))
  return text === undefined ? undefined : [flag, text]
}

function readsAs(text: string, schemas: readonly Schema[], value: unknown): boolean {
  try {
    return JSON.stringify(looks(readText(text, schemas, ''))) === JSON.stringify(value)
  } catch {
    return false
  }
}

function looks(value: unknown): unknown {
  return value instanceof Loose ? value.look : Array.isArray(value) ? value.map(looks) : value
}

const schemasAt = (inputs: { readonly [name: string]: Schema }, path: readonly string[]) =>
  path.reduce<readonly Schema[]>((schemas, member) => inside(schemas, member), [{ properties: inputs, type: 'object' }])

/**
 * Where a flag puts its value, and what that may be. A field of the record behind a reference is one member of Filters, or of their `not`:
 * --Filters.Company.Industry, --Filters.not.Company.Industry.
 */
function placeOf(name: string, operation: Operation): { readonly path: readonly string[]; readonly schemas: readonly Schema[] } {
  const path = name.split('.')
  const [whole = ''] = path
  const outer = path.slice(
    0,
    path.findIndex((word, i) => i > 0 && word !== NOT),
  )
  const [behind = '', ...inner] = path.slice(outer.length)
  const reference = whole === 'Filters' && inner.length > 0 ? referencesOf(operation.record).find((one) => one.name === behind) : undefined
  if (!reference) return { path, schemas: schemasAt(inputsOf(operation), path) }
  const [field = '', ...rest] = inner
  const schemas = schemasAt({ [whole]: recordType(reference.refers).filters as Schema }, [whole, ...inner])
  // A field of the workspace's own has a type that only the workspace knows.
  return { path: [...outer, `${behind}.${field}`, ...rest], schemas: schemas.length > 0 ? schemas : [{}] }
}

function readFlag(value: unknown, schemas: readonly Schema[], where: string): unknown {
  if (Array.isArray(value)) {
    const lists = value.map((text: string) => readText(text, schemas, where))
    return lists.length === 1 ? lists[0] : lists.flat()
  }
  return typeof value === 'string' ? readText(value, schemas, where) : value
}

/** Puts a value inside of others. A filter that has operators keeps its plain value as the operator `eq`. */
function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  const before = Object.hasOwn(target, name) ? target[name] : undefined
  let after = value
  if (rest.length > 0) {
    const inner: Record<string, unknown> = isRow(before) && !(before instanceof Loose) ? { ...before } : before === undefined ? {} : { eq: before }
    put(inner, rest, value)
    after = inner
  }
  // A member called __proto__ is a member like any other, and the contract's to refuse.
  Object.defineProperty(target, name, { value: after, enumerable: true, configurable: true, writable: true })
}

const isTruth = (schemas: readonly Schema[]) => typesOf(schemas).has('boolean') && !typesOf(schemas).has('string')

function placeholder(schemas: readonly Schema[]): string {
  const types = typesOf(schemas)
  if (isTruth(schemas)) return '[true|false]'
  if (types.has('object')) return '<json>'
  if (types.has('array')) return '<a,b,…>'
  return types.has('number') || types.has('integer') ? '<number>' : '<text>'
}

function helpOf(name: string, schema: Schema, isRequired: boolean): string {
  const closed = schema.enum?.filter((word) => word !== null) ?? []
  const help = [schema.description ?? '', closed.length > 0 ? `One of ${closed.join(', ')}.` : '', membersHelp(name, schema)].filter(Boolean).join(' ')
  return [isRequired ? 'required' : '', help].filter(Boolean).join('; ')
}

/** How the members of an input are given one by one. */
function membersHelp(name: string, { type, properties = {}, additionalProperties: more }: Schema): string {
  if (type !== 'object') return ''
  const members = Object.entries(properties)
  const inner = typeof more === 'object' && more.properties ? Object.keys(more.properties) : []
  const operators = members.some(([, schema]) => alternatives(schema).some(({ type: one }) => one === 'object'))
  const pattern =
    inner.length > 0 ? inner.map((member) => `--${name}.NAME.${member}`).join(', ') : `--${name}.NAME${operators ? ` or --${name}.NAME.OPERATOR` : ''}`
  const known = members.length === 0 ? '' : `, NAME being ${members.map(([member]) => member).join(', ')}${more ? ', or a field of yours' : ''}`
  return `Also one by one, as ${pattern}${known}.`
}
