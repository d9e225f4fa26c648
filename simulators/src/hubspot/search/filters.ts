import { isObject, listIn, textIn, textsOf } from '../call.ts'
import { badSearch } from '../errors.ts'
import { valueIn } from '../objects/presentation.ts'
import type { StoredRecord, Values } from '../objects/records.ts'
import type { ObjectType, Portal } from '../portal.ts'
import type { Property } from '../properties/property.ts'
import { timeIn } from '../properties/values.ts'
import { tokenMatcher } from './tokens.ts'

/** Whether a record, with the values that the index knows of it, is looked for. */
export type Test = (record: StoredRecord, values: Values) => boolean

type Comparable = string | number

interface Said {
  readonly value: Comparable | undefined
  readonly highValue: Comparable | undefined
  readonly values: readonly Comparable[]
  readonly text: string
}

interface Operator {
  readonly needs: 'value' | 'range' | 'values' | 'nothing'
  readonly test: (said: Said) => (value: Comparable, text: string) => boolean
}

/** Every operator is about records that have a value; those that have none are found by NOT_HAS_PROPERTY only. */
const OPERATORS: { readonly [name: string]: Operator } = {
  EQ: { needs: 'value', test: (said) => (value) => value === said.value },
  NEQ: { needs: 'value', test: (said) => (value) => value !== said.value },
  LT: { needs: 'value', test: (said) => (value) => value < (said.value as Comparable) },
  LTE: { needs: 'value', test: (said) => (value) => value <= (said.value as Comparable) },
  GT: { needs: 'value', test: (said) => (value) => value > (said.value as Comparable) },
  GTE: { needs: 'value', test: (said) => (value) => value >= (said.value as Comparable) },
  BETWEEN: { needs: 'range', test: (said) => (value) => value >= (said.value as Comparable) && value <= (said.highValue as Comparable) },
  IN: { needs: 'values', test: ({ values }) => has(values, true) },
  NOT_IN: { needs: 'values', test: ({ values }) => has(values, false) },
  CONTAINS_TOKEN: { needs: 'value', test: ({ text }) => contains(text, true) },
  NOT_CONTAINS_TOKEN: { needs: 'value', test: ({ text }) => contains(text, false) },
  HAS_PROPERTY: { needs: 'nothing', test: () => () => true },
  NOT_HAS_PROPERTY: { needs: 'nothing', test: () => () => false },
}

function has(values: readonly Comparable[], wanted: boolean) {
  const among = new Set(values)
  return (value: Comparable) => among.has(value) === wanted
}

function contains(said: string, wanted: boolean) {
  const matches = tokenMatcher(said)
  return (_value: Comparable, text: string) => matches(text) === wanted
}

/** How the values of a type are compared: texts whatever their case, options as they are written, the rest by what they mean. */
function comparable({ name, type }: Property, text: string): Comparable {
  if (type === 'number') {
    const number = Number(text)
    if (text.trim() === '' || Number.isNaN(number)) throw badSearch(`${text} is not a number, as property ${name} is.`)
    return number
  }
  if (type === 'date' || type === 'datetime') {
    const time = timeIn(text)
    if (time === undefined) throw badSearch(`${text} is not a time, as property ${name} is.`)
    return time
  }
  return type === 'string' ? text.toLowerCase() : text
}

/** What a filter says, as a test. */
export function filterTest(portal: Portal, type: ObjectType, filter: unknown): Test {
  if (!isObject(filter)) throw badSearch('A filter must be an object.')
  const name = textIn(filter, 'propertyName')
  const said = textIn(filter, 'operator')
  const operator = Object.hasOwn(OPERATORS, said ?? '') ? OPERATORS[said ?? ''] : undefined
  if (name === undefined || !operator) throw badSearch(`A filter needs a propertyName and one of the operators ${Object.keys(OPERATORS).join(', ')}.`)
  const value = textIn(filter, 'value')
  const highValue = textIn(filter, 'highValue')
  const values = listIn(filter, 'values')
  if ((operator.needs === 'value' || operator.needs === 'range') && value === undefined) throw badSearch(`Operator ${said} needs a value.`)
  if (operator.needs === 'range' && highValue === undefined) throw badSearch(`Operator ${said} needs a highValue.`)
  if (operator.needs === 'values' && (values === undefined || values.length === 0)) throw badSearch(`Operator ${said} needs values.`)
  if (operator.needs === 'nothing' && value !== undefined) throw badSearch(`Operator ${said} does not take a value.`)
  if (name.startsWith('associations.')) return associationTest(portal, type, name, said ?? '', value === undefined ? textsOf(values ?? []) : [value])
  const property = portal.visible(type, name)
  if (!property) throw badSearch(`Property '${name}' does not exist for object type ${type.id}.`)
  const isToken = said?.endsWith('CONTAINS_TOKEN')
  const test = operator.test({
    value: value === undefined || isToken || operator.needs === 'values' ? undefined : comparable(property, value),
    highValue: highValue === undefined ? undefined : comparable(property, highValue),
    // The values of a list are taken as they were written and compared with texts in lower case: capitals never match.
    values: operator.needs === 'values' ? textsOf(values ?? []).map((one) => (property.type === 'string' ? one : comparable(property, one))) : [],
    text: value ?? '',
  })
  return (record, known) => {
    const text = valueIn(type, record, known, name)
    if (text === undefined) return said === 'NOT_HAS_PROPERTY'
    return test(comparable(property, text), text)
  }
}

/** Records that belong to another, as `associations.contact` says. */
function associationTest(portal: Portal, type: ObjectType, name: string, operator: string, ids: readonly string[]): Test {
  const to = portal.knownType(name.slice('associations.'.length))
  if (!to || (operator !== 'EQ' && operator !== 'IN')) throw badSearch(`${operator} cannot be asked of ${name}.`)
  const members = new Set(ids.filter((id) => to.records.live(id)).flatMap((id) => [...portal.associations.of(to.id, id, type.id).keys()]))
  return ({ id }) => members.has(id)
}
