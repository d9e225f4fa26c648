import { CUSTOM_TYPES } from './custom-types.ts'
import { FIELDS } from './fields.ts'
import { ParameterFault } from './parameter-fault.ts'
import type { Kind, Operation } from './tables.ts'
import { isObject, listOf, notFinite, picked, valueAs } from './values.ts'
import { workspaceValues } from './workspace-fields.ts'

/** Reads a parameter of the current item. */
export type Read = (name: string, fallback?: unknown) => unknown

export type Input = { [name: string]: unknown }

export const optionsOf = (read: Read) => read('options', {}) as { readonly [option: string]: unknown }

/** The input of an operation, built from the parameters. */
export function inputOf(operation: Operation, read: Read, zone: string): Input {
  const input = takesNothing(operation) ? {} : read('specify', 'fields') === 'json' ? jsonInput(read('input', {})) : fieldInput(operation, read, zone)
  const whole = { ...input, ...optionInput(operation, read) }
  const field = notFinite(whole)
  if (field !== undefined)
    throw new ParameterFault(field, `${field} is not a number.`, {
      code: 'type',
      hint: 'Check the expression: it may calculate with a text or with nothing.',
    })
  return whole
}

const takesNothing = ({ values, forms }: Operation) => forms.length === 0 && Object.keys(values).length === 0

function jsonInput(given: unknown): Input {
  const value = typeof given === 'string' ? parsed(given) : given
  if (!isObject(value) || Array.isArray(value)) throw new ParameterFault('input', 'Input (JSON) must be a JSON object.', { code: 'type' })
  return { ...value }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text)
  } catch (error) {
    throw unreadable(error as Error)
  }
}

const unreadable = ({ message }: Error) =>
  new ParameterFault('input', `Input (JSON) cannot be read: ${message}.`, { code: 'form', hint: 'Names and texts need double quotes.' })

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
  const updates = operation.forms.includes('FieldsToUpdate')
  const others = furtherOf(read, zone, updates ? isMissing : isBlank)
  if (updates) input.FieldsToUpdate = changesOf(operation.record, read, zone, others)
  else Object.assign(input, others)
  if (operation.forms.includes('Fields')) input.Fields = definitionsOf(read('Fields', {}) as Input, zone)
  return input
}

/** An expression that finds nothing never clears a field; Fields to Clear does. */
const isMissing = (value: unknown) => value === undefined || value === null

/** An empty additional field counts as left out. */
const isBlank = (value: unknown) => isMissing(value) || value === ''

function optionInput({ forms }: Operation, read: Read): Input {
  const options = optionsOf(read)
  const { orderBy, direction = 'asc', select, ifRevision } = options
  const input: Input = {}
  const order = picked(orderBy)
  if (forms.includes('OrderBy') && !isBlank(order)) input.OrderBy = `${order} ${direction}`
  if (forms.includes('Select') && listOf(select).length > 0) input.Select = listOf(select)
  if (forms.includes('IfRevision') && 'ifRevision' in options) {
    // Without a value the write would go through unguarded.
    if (isBlank(ifRevision))
      throw new ParameterFault('IfRevision', 'If Revision has no value.', {
        hint: 'Remove the option, or set it to the Revision of the record that was read.',
      })
    input.IfRevision = valueAs('number', ifRevision, '')
  }
  return input
}

const entriesOf = (collection: Input, group: string) => (collection[group] ?? []) as Input[]

/** The value of an entry, which is stored under a name for each kind. */
const entered = (entry: Input, kind: Kind, zone: string) => valueAs(kind, entry[`${kind}Value`], zone)

function filtersOf(record: string, given: Input, zone: string): Input {
  // A Map, since fields may have names such as `constructor`.
  const filters = new Map<string, Input>()
  const conditions: [field: string, kind: Kind | undefined, entry: Input][] = [
    ...entriesOf(given, 'conditions').map((entry): [string, Kind | undefined, Input] => [String(entry.field), FIELDS[record]?.[String(entry.field)], entry]),
    ...entriesOf(given, 'others').map((entry): [string, Kind | undefined, Input] => [
      String(picked(entry.name)),
      CUSTOM_TYPES[String(entry.type ?? 'String')],
      entry,
    ]),
  ]
  for (const [field, kind, entry] of conditions) {
    if (kind === undefined) throw new ParameterFault(`Filters.${field}`, `Filters: unknown field or type: ${field}.`, { code: 'unknown' })
    const [operator, value] = comparison(kind, entry, zone, field)
    const before = filters.get(field) ?? {}
    if (Object.hasOwn(before, operator)) throw repeated(field, operator)
    filters.set(field, { ...before, [operator]: value })
  }
  return Object.fromEntries(filters)
}

const repeated = (field: string, operator: string) =>
  new ParameterFault(`Filters.${field}`, `Filters: ${field} has two conditions with the same operator (${operator}).`, {
    code: 'repeated',
    hint: 'Each operator can be used once per field. Use Is Any Of for several values; to exclude several values, add a Filter node after this one.',
  })

function comparison(kind: Kind, entry: Input, zone: string, field: string): [operator: string, value: unknown] {
  const operator = String(entry.operator ?? 'eq')
  if (operator === 'isEmpty') return ['eq', null]
  if (operator === 'isNotEmpty') return ['ne', null]
  const given = operator === 'in' ? (entry.listValue ?? [null]) : entered(entry, kind, zone)
  if ([given].flat().some(isMissing))
    throw new ParameterFault(`Filters.${field}`, `Filters: ${field} has no value to compare with.`, {
      hint: 'The expression returned nothing. Use Is Empty to find records without a value.',
    })
  return operator === 'in' ? ['in', listOf(given).map((value) => valueAs(kind, value, zone))] : [operator, given]
}

/** The FieldsToUpdate. Only Fields to Clear and the type Empty (Null) set null. */
function changesOf(record: string, read: Read, zone: string, others: Input): Input {
  const changes: Input = {}
  for (const [field, value] of Object.entries(read('FieldsToUpdate', {}) as Input)) {
    const read = valueAs(FIELDS[record]?.[field] ?? 'text', value, zone)
    if (!isMissing(read)) changes[field] = read
  }
  Object.assign(changes, others)
  for (const field of listOf(read('FieldsToClear', [])).map(String)) {
    if (Object.hasOwn(changes, field))
      throw new ParameterFault(`FieldsToUpdate.${field}`, `${field} is both updated and cleared.`, { hint: 'Remove it from one of the two.' })
    changes[field] = null
  }
  return changes
}

/** The fields beyond the contract, from both parameters for them. */
function furtherOf(read: Read, zone: string, isLeftOut: (value: unknown) => boolean): Input {
  const others = othersOf(read('OtherFields', {}) as Input, zone)
  const entered = workspaceValues(read('WorkspaceFields', {}), zone).filter(([, value]) => !isLeftOut(value))
  const twice = entered.find(([name]) => Object.hasOwn(others, name))?.[0]
  if (twice !== undefined)
    throw new ParameterFault(`WorkspaceFields.${twice}`, `${twice} is in both Workspace Fields and Other Fields.`, {
      code: 'repeated',
      hint: 'Remove it from one of the two.',
    })
  return { ...others, ...Object.fromEntries(entered) }
}

function othersOf(given: Input, zone: string): Input {
  return Object.fromEntries(
    entriesOf(given, 'fields').flatMap((entry): [string, unknown][] => {
      const kind = CUSTOM_TYPES[String(entry.type ?? 'String')]
      const value = kind ? entered(entry, kind, zone) : null
      return kind && isMissing(value) ? [] : [[String(picked(entry.name)), value]]
    }),
  )
}

/** What a choice and a reference are defined with besides. */
function more({ type, choices, refersTo = 'Company' }: Input): Input {
  if (type === 'Reference') return { RefersTo: refersTo }
  const values = (Array.isArray(choices) ? choices : []).filter((value) => value !== '')
  return /^Choices?$/.test(String(type)) && values.length > 0 ? { Values: values } : {}
}

/** With a label a field is defined; without one it is the value of an existing field. An empty text is no value. */
function definitionsOf(given: Input, zone: string): Input {
  return Object.fromEntries(
    entriesOf(given, 'fields').map((entry) => {
      const { type = 'String', label = '', setValue = true } = entry
      const defined = label === '' ? {} : { Type: type, Label: label, ...more(entry) }
      const value = entered(entry, CUSTOM_TYPES[String(type)] ?? 'text', zone)
      return [String(picked(entry.name)), { ...defined, ...(setValue && !isBlank(value) ? { Value: value } : {}) }]
    }),
  )
}
