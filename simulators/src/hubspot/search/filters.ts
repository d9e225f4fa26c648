import { isObject } from '../../json.ts'
import { listIn, textIn, textsOf } from '../call.ts'
import { badSearch } from '../errors.ts'
import { timeOf, valueIn } from '../objects/presentation.ts'
import type { StoredRecord } from '../objects/records.ts'
import type { ObjectType, Portal } from '../portal.ts'
import type { Property } from '../properties/property.ts'
import { timeIn } from '../properties/values.ts'
import { tokenMatcher } from './tokens.ts'

/** Tests a record as it is indexed. */
export type Test = (record: StoredRecord) => boolean

type Comparable = string | number

interface Operand {
  readonly value: Comparable | undefined
  readonly highValue: Comparable | undefined
  readonly values: readonly Comparable[]
  readonly text: string
}

interface Operator {
  readonly needs: 'value' | 'range' | 'values' | 'nothing'
  readonly test: (operand: Operand) => (value: Comparable, text: string) => boolean
}

/** Records without a value match NOT_HAS_PROPERTY only. */
const OPERATORS: { readonly [name: string]: Operator } = {
  EQ: { needs: 'value', test: (operand) => (value) => value === operand.value },
  NEQ: { needs: 'value', test: (operand) => (value) => value !== operand.value },
  LT: { needs: 'value', test: (operand) => (value) => value < (operand.value as Comparable) },
  LTE: { needs: 'value', test: (operand) => (value) => value <= (operand.value as Comparable) },
  GT: { needs: 'value', test: (operand) => (value) => value > (operand.value as Comparable) },
  GTE: { needs: 'value', test: (operand) => (value) => value >= (operand.value as Comparable) },
  BETWEEN: { needs: 'range', test: (operand) => (value) => value >= (operand.value as Comparable) && value <= (operand.highValue as Comparable) },
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

function contains(operand: string, wanted: boolean) {
  const matches = tokenMatcher(operand)
  return (_value: Comparable, text: string) => matches(text) === wanted
}

/** Texts compare without case, options exactly, numbers and times by value. */
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

export function filterTest(portal: Portal, type: ObjectType, filter: unknown): Test {
  if (!isObject(filter)) throw badSearch('A filter must be an object.')
  const name = textIn(filter, 'propertyName')
  const operatorName = textIn(filter, 'operator')
  const operator = Object.hasOwn(OPERATORS, operatorName ?? '') ? OPERATORS[operatorName ?? ''] : undefined
  if (name === undefined || !operator) throw badSearch(`A filter needs a propertyName and one of the operators ${Object.keys(OPERATORS).join(', ')}.`)
  const value = textIn(filter, 'value')
  const highValue = textIn(filter, 'highValue')
  const values = listIn(filter, 'values')
  if ((operator.needs === 'value' || operator.needs === 'range') && value === undefined) throw badSearch(`Operator ${operatorName} needs a value.`)
  if (operator.needs === 'range' && highValue === undefined) throw badSearch(`Operator ${operatorName} needs a highValue.`)
  if (operator.needs === 'values' && (values === undefined || values.length === 0)) throw badSearch(`Operator ${operatorName} needs values.`)
  if (operator.needs === 'nothing' && value !== undefined) throw badSearch(`Operator ${operatorName} does not take a value.`)
  if (name.startsWith('associations.')) return associationTest(portal, type, name, operatorName ?? '', value === undefined ? textsOf(values ?? []) : [value])
  const property = portal.visible(type, name)
  if (!property) throw badSearch(`Property '${name}' does not exist for object type ${type.id}.`)
  const isToken = operatorName?.endsWith('CONTAINS_TOKEN')
  const test = operator.test({
    value: value === undefined || isToken || operator.needs === 'values' ? undefined : comparable(property, value),
    highValue: highValue === undefined ? undefined : comparable(property, highValue),
    // As in HubSpot, IN compares the given values as they are with lower-case texts: capitals never match.
    values: operator.needs === 'values' ? textsOf(values ?? []).map((one) => (property.type === 'string' ? one : comparable(property, one))) : [],
    text: value ?? '',
  })
  return (record) => {
    const time = isToken ? undefined : timeOf(type, record, name)
    if (time !== undefined) return test(time, '')
    const text = valueIn(type, record, name)
    if (text === undefined) return operatorName === 'NOT_HAS_PROPERTY'
    return test(comparable(property, text), text)
  }
}

/** Filters such as `associations.contact`. */
function associationTest(portal: Portal, type: ObjectType, name: string, operator: string, ids: readonly string[]): Test {
  const to = portal.knownType(name.slice('associations.'.length))
  if (!to || (operator !== 'EQ' && operator !== 'IN')) throw badSearch(`${operator} cannot be asked of ${name}.`)
  const members = new Set(ids.filter((id) => to.records.live(id)).flatMap((id) => [...portal.associations.of(to.id, id, type.id).keys()]))
  return ({ id }) => members.has(id)
}
