import { FIELDS } from './fields.ts'
import type { Kind, Operation } from './tables.ts'
import { isObject, listOf, picked, valueAs } from './values.ts'

/** Reads a parameter of the item at hand. */
export type Read = (name: string, fallback?: unknown) => unknown

export type Input = { [name: string]: unknown }

/** Something is wrong with a parameter before anybody was asked. */
export class ParameterFault extends Error {}

/** What the collection of options says. */
export const optionsOf = (read: Read) => read('options', {}) as { readonly [option: string]: unknown }

/** The input of an operation, put together of the parameters. */
export function inputOf(operation: Operation, read: Read, zone: string): Input {
  const input = takesNothing(operation) ? {} : read('specify', 'fields') === 'json' ? jsonInput(read('input', {})) : fieldInput(operation, read, zone)
  return { ...input, ...optionInput(operation, read) }
}

const takesNothing = ({ values, forms }: Operation) => forms.length === 0 && Object.keys(values).length === 0

function jsonInput(given: unknown): Input {
  const value = typeof given === 'string' ? parsed(given) : given
  if (!isObject(value) || Array.isArray(value)) throw new ParameterFault('Input (JSON) must be a JSON object.')
  return { ...value }
}

/** Nothing where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text)
  } catch {
    return undefined
  }
}

function fieldInput(operation: Operation, read: Read, zone: string): Input {
  const input: Input = {}
  const additional = read('additionalFields', {}) as Input
  for (const [name, kind] of Object.entries(operation.values)) {
    if (operation.required.includes(name)) input[name] = valueAs(kind, read(name), zone)
    else if (!isBlank(picked(additional[name]))) input[name] = valueAs(kind, additional[name], zone)
  }
  if (operation.forms.includes('Filters')) {
    const filters = filtersOf(operation.record, read('Filters', {}) as Input, zone)
    if (Object.keys(filters).length > 0) input.Filters = filters
  }
  const others = othersOf(read('OtherFields', {}) as Input, zone)
  if (operation.forms.includes('FieldsToUpdate')) input.FieldsToUpdate = { ...changesOf(operation.record, read, zone), ...others }
  else Object.assign(input, others)
  if (operation.forms.includes('Fields')) input.Fields = definitionsOf(read('Fields', {}) as Input, zone)
  return input
}

/** An additional field that was added and left empty, or whose expression finds nothing, counts as left out. */
const isBlank = (value: unknown) => value === undefined || value === null || value === ''

function optionInput({ forms }: Operation, read: Read): Input {
  const { orderBy, direction = 'asc', select, ifRevision } = optionsOf(read)
  const input: Input = {}
  const order = picked(orderBy)
  if (forms.includes('OrderBy') && !isBlank(order)) input.OrderBy = `${order} ${direction}`
  if (forms.includes('Select') && listOf(select).length > 0) input.Select = listOf(select)
  if (forms.includes('IfRevision') && !isBlank(ifRevision)) input.IfRevision = valueAs('number', ifRevision, '')
  return input
}

/** The types of user-defined fields, and how their values are entered. */
const CUSTOM: { readonly [type: string]: Kind } = { String: 'text', Number: 'number', Boolean: 'boolean', Date: 'date', DateTime: 'timestamp' }

const entriesOf = (collection: Input, group: string) => (collection[group] ?? []) as Input[]

/** The value of an entry, which has a name for each kind. */
const entered = (entry: Input, kind: Kind, zone: string) => valueAs(kind, entry[`${kind}Value`], zone)

function filtersOf(record: string, given: Input, zone: string): Input {
  // Fields may be called like what every object has.
  const filters = new Map<string, Input>()
  const conditions: [field: string, kind: Kind | undefined, entry: Input][] = [
    ...entriesOf(given, 'conditions').map((entry): [string, Kind | undefined, Input] => [String(entry.field), FIELDS[record]?.[String(entry.field)], entry]),
    ...entriesOf(given, 'others').map((entry): [string, Kind | undefined, Input] => [
      String(picked(entry.name)),
      CUSTOM[String(entry.type ?? 'String')],
      entry,
    ]),
  ]
  for (const [field, kind, entry] of conditions) {
    if (kind === undefined) throw new ParameterFault(`Filters: there is no field ${field}, or no such type.`)
    const [operator, value] = comparison(kind, entry, zone)
    const before = filters.get(field) ?? {}
    if (Object.hasOwn(before, operator)) throw new ParameterFault(`Filters: ${field} has two conditions of the same kind (${operator}).`)
    filters.set(field, { ...before, [operator]: value })
  }
  return Object.fromEntries(filters)
}

function comparison(kind: Kind, entry: Input, zone: string): [operator: string, value: unknown] {
  const operator = String(entry.operator ?? 'eq')
  if (operator === 'isEmpty') return ['eq', null]
  if (operator === 'isNotEmpty') return ['ne', null]
  if (operator === 'in') return ['in', listOf(entry.listValue).map((value) => valueAs(kind, value, zone))]
  return [operator, entered(entry, kind, zone)]
}

function changesOf(record: string, read: Read, zone: string): Input {
  const changes: Input = {}
  for (const [field, value] of Object.entries(read('FieldsToUpdate', {}) as Input)) {
    const read = valueAs(FIELDS[record]?.[field] ?? 'text', value, zone)
    if (read !== undefined) changes[field] = read
  }
  for (const field of listOf(read('FieldsToClear', []))) changes[String(field)] = null
  return changes
}

function othersOf(given: Input, zone: string): Input {
  return Object.fromEntries(
    entriesOf(given, 'fields').map((entry) => {
      const kind = CUSTOM[String(entry.type ?? 'String')]
      return [String(picked(entry.name)), kind ? (entered(entry, kind, zone) ?? null) : null]
    }),
  )
}

/** A label makes it a definition; without one it is the value of a field that is defined already. */
function definitionsOf(given: Input, zone: string): Input {
  return Object.fromEntries(
    entriesOf(given, 'fields').map((entry) => {
      const { type = 'String', label = '', setValue = true } = entry
      const defined = label === '' ? {} : { Type: type, Label: label }
      return [String(picked(entry.name)), { ...defined, ...(setValue ? { Value: entered(entry, CUSTOM[String(type)] ?? 'text', zone) ?? null } : {}) }]
    }),
  )
}
