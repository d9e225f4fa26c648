import type { Fault } from '../../contract/errors.ts'
import { FAMILIES, type Family, FIELD_KINDS, type FieldKind, type Operator, operandSchema } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { exactMoney } from '../../contract/money.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { CUSTOM_TYPES, type CustomType } from '../../contract/records/custom-object.ts'
import { isObject } from '../../helpers/is-object.ts'
import { utcOf } from '../../helpers/times.ts'
import type { Condition, Order, Through, Value, Where } from '../../platforms/platform.ts'
import { absentField, faultsOf, kindOf, unknownName } from './schemas.ts'

/** A field that filters and orders may name. */
export interface Searchable {
  /** The record's own field, and the user-defined name inside it where there is one. */
  readonly field: string
  readonly name?: string
  readonly kind: FieldKind
  readonly family: Family
  /** The platform that has no such field. */
  readonly absent?: string | undefined
  /** The reference that leads to the field. */
  readonly through?: Through
}

/** What a search may name; `ambiguous` holds user-defined names that mean different types in different objects. */
export interface Vocabulary {
  readonly fields: ReadonlyMap<string, Searchable>
  readonly ambiguous: ReadonlyMap<string, string>
  /** Fields that hold JSON, which is not compared. */
  readonly unsearched?: ReadonlySet<string>
  /** Fields that only admins are shown, each with the one to use instead. */
  readonly withheld?: ReadonlyMap<string, string>
  /** The references whose records filters may follow, by the names of these records. */
  readonly references?: ReadonlyMap<string, Reference>
  /** The references whose records the caller's key may not read, and the types of these records. */
  readonly unread?: ReadonlyMap<string, string>
}

/** A reference that filters may follow. */
export interface Reference {
  readonly through: Through
  readonly vocabulary: Vocabulary
}

export interface Definition {
  readonly ObjectName: string
  readonly FieldName: string
  readonly Type: CustomType
  readonly Label: string
  /** Null or undefined where a choice accepts any value, and for other types. */
  readonly Values?: readonly string[] | null
  /** Null or undefined where it is unknown what an id points to, and for other types. */
  readonly RefersTo?: string | null
  /** Undefined on a CRM, which retires no fields. */
  readonly Retired?: boolean
}

const vocabularies = new WeakMap<RecordType, Vocabulary>()

/** The fields of the contract that searches may name. */
export function vocabularyOf(record: RecordType): Vocabulary {
  let vocabulary = vocabularies.get(record)
  if (!vocabulary) {
    const fields = new Map<string, Searchable>()
    for (const [field, { kind, access, absent }] of Object.entries(record.fields)) {
      const family = FIELD_KINDS[kind]
      if (family && access !== 'secret') fields.set(field, { field, kind, family, absent })
    }
    const unsearched = Object.entries(record.fields).flatMap(([name, { kind, own }]) => (own && !FIELD_KINDS[kind] ? [name] : []))
    vocabulary = { fields, ambiguous: new Map(), unsearched: new Set(unsearched) }
    vocabularies.set(record, vocabulary)
  }
  return vocabulary
}

/** The vocabulary without fields that only admins are shown. */
export function withholding(vocabulary: Vocabulary, withheld: ReadonlyMap<string, string>): Vocabulary {
  return { ...vocabulary, fields: new Map([...vocabulary.fields].filter(([name]) => !withheld.has(name))), withheld }
}

/** The vocabulary with the user-defined fields of these objects, or of all where `objectNames` is undefined. */
export function withDefinitions(record: RecordType, definitions: readonly Definition[], objectNames: readonly string[] | undefined): Vocabulary {
  const fields = new Map(vocabularyOf(record).fields)
  const ambiguous = new Map<string, string>()
  for (const { ObjectName, FieldName, Type } of definitions) {
    if (objectNames && !objectNames.includes(ObjectName)) continue
    const kind = CUSTOM_TYPES[Type]
    const other = fields.get(FieldName)
    if (other && other.kind !== kind) ambiguous.set(FieldName, `${FieldName} has different types in different objects; filter by ObjectName too.`)
    else fields.set(FieldName, { field: record.userDefined as string, name: FieldName, kind, family: FIELD_KINDS[kind] })
  }
  return { fields, ambiguous }
}

/** The field of a name, or the fault, after these faults. */
function lookUp(vocabulary: Vocabulary, name: string, at: string, faults: readonly Fault[]): Searchable | Fault {
  const message = vocabulary.ambiguous.get(name)
  if (message !== undefined) return { field: at, code: 'type', message, expected: 'Filters with ObjectName' }
  const instead = vocabulary.withheld?.get(name)
  if (instead !== undefined) return { field: at, code: 'unknown', message: `${name} is shown to admins only.`, expected: instead, didYouMean: instead }
  if (vocabulary.unsearched?.has(name))
    return { field: at, code: 'value', message: `${name} holds JSON, which can be neither filtered nor ordered by.`, expected: 'a field with one plain value' }
  const found = vocabulary.fields.get(name)
  if (found?.absent !== undefined) return absentField(at, name, found.absent)
  return found ?? unknownName(at, name, [...vocabulary.fields.keys()], { suggests: faults.length < LIMITS.suggestions })
}

export const isFault = (found: object): found is Fault => 'message' in found

/** Parses Filters into conditions, and collects their faults. */
export function readFilters(vocabulary: Vocabulary, filters: Record<string, unknown>, faults: Fault[]): Where[] {
  const where = readMembers(vocabulary, filters, faults, 'Filters', 0)
  if (faults.length === 0 && valuesIn(where) > LIMITS.filterValues) {
    const most = LIMITS.filterValues.toLocaleString('en')
    faults.push({ field: 'Filters', code: 'count', message: `Filters compare with more than ${most} values.`, expected: `at most ${most}` })
  }
  return where
}

/** How many values conditions compare with. */
function valuesIn(where: readonly Where[]): number {
  return where.reduce((sum, one) => sum + ('operator' in one ? [one.value].flat().length : valuesIn('not' in one ? one.not : one.any.flat())), 0)
}

function readMembers(vocabulary: Vocabulary, filters: Record<string, unknown>, faults: Fault[], inside: string, depth: number): Where[] {
  return Object.entries(filters).flatMap(([name, member]): Where[] => {
    if (faults.length >= LIMITS.faults) return []
    const at = `${inside}.${name.length > 60 ? `${name.slice(0, 60)}…` : name}`
    if (name === 'any' || name === 'not') return readCombined(vocabulary, name, member, faults, at, depth + 1)
    const field = name.includes('.') ? lookUpBehind(vocabulary, name, at, faults) : lookUp(vocabulary, name, at, faults)
    if (isFault(field)) {
      faults.push(field)
      return []
    }
    if (member === null || typeof member !== 'object') return readOperator(field, 'eq', member, at, faults)
    if (Array.isArray(member)) {
      faults.push({
        field: at,
        code: 'type',
        message: `${at} must be ${FAMILIES[field.family].expected} or an object of operators, not a list.`,
        expected: insteadOfList(field.family),
      })
      return []
    }
    const operators = Object.entries(member)
    if (operators.length === 0) {
      faults.push({ field: at, code: 'count', message: `${at} has no operator.`, expected: FAMILIES[field.family].operators.join(', ') })
    }
    return operators.flatMap(([operator, value]) => readOperator(field, operator, value, `${at}.${operator.slice(0, 60)}`, faults))
  })
}

/** What finds one of several values, as far as the operators of a family do. */
function insteadOfList(family: Family): string {
  if (family === 'list') return '{ "contains": "…" } for one value, and "any" with one of these for each of several'
  return family === 'boolean' ? FAMILIES.boolean.expected : '{ "in": […] } for a list'
}

/** Parses `any` or `not`. A list of which one must hold is refused where it is empty: nothing would be found, which is hardly ever meant. */
function readCombined(vocabulary: Vocabulary, name: 'any' | 'not', member: unknown, faults: Fault[], at: string, depth: number): Where[] {
  const fault = (code: Fault['code'], message: string, expected: string) => {
    faults.push({ field: at, code, message, expected })
    return []
  }
  if (depth > LIMITS.filterDepth)
    return fault('count', `Filters are nested deeper than ${LIMITS.filterDepth} levels.`, `at most ${LIMITS.filterDepth} levels of any and not`)
  const filtersIn = (one: unknown, where: string): Where[] => {
    if (!isObject(one)) {
      faults.push({ field: where, code: 'type', message: `${where} must be Filters, not ${kindOf(one)}.`, expected: 'an object of Filters' })
      return []
    }
    if (Object.keys(one).length === 0) faults.push({ field: where, code: 'count', message: `${where} must not be empty.`, expected: 'at least one member' })
    return readMembers(vocabulary, one, faults, where, depth)
  }
  if (name === 'not') return [{ not: filtersIn(member, at) }]
  if (!Array.isArray(member)) return fault('type', `${at} must be a list of Filters, not ${kindOf(member)}.`, 'a list')
  if (member.length === 0) return fault('count', `${at} must not be empty.`, 'at least one')
  if (member.length > LIMITS.list) return fault('count', `${at} has more than ${LIMITS.list} members.`, `at most ${LIMITS.list}`)
  return [{ any: member.map((one, i) => (faults.length < LIMITS.faults ? filtersIn(one, `${at}.${i}`) : [])) }]
}

/** The field behind a reference, by a path such as `Company.Industry`, or the fault. */
function lookUpBehind({ references = new Map(), unread }: Vocabulary, path: string, at: string, faults: readonly Fault[]): Searchable | Fault {
  const [name = '', ...rest] = path.split('.')
  const type = unread?.get(name)
  if (type)
    return {
      field: at,
      code: 'unknown',
      message: `This key may not read the ${type} behind ${name}, and so not filter by it.`,
      expected: `a key with read:${type}`,
    }
  const reference = references.get(name)
  if (!reference) return unknownName(at, name, [...references.keys()], { what: 'reference', suggests: faults.length < LIMITS.suggestions })
  const field = lookUp(reference.vocabulary, rest.join('.'), at, faults)
  return isFault(field) ? field : { ...field, through: reference.through }
}

function readOperator(field: Searchable, operator: string, value: unknown, at: string, faults: Fault[]): Condition[] {
  if (faults.length >= LIMITS.faults) return []
  const family = FAMILIES[field.family]
  const allowed: readonly string[] = family.operators
  if (!allowed.includes(operator)) {
    const [near] = nearest(operator, allowed)
    faults.push({
      field: at,
      code: 'operator',
      message: `${quote(operator)} is not an operator for ${field.family === 'list' ? 'a list of values' : family.expected.split(',')[0]}.`,
      expected: allowed.join(', '),
      ...(near && { didYouMean: near }),
    })
    return []
  }
  if (field.family === 'list' && operator !== 'contains' && value !== null) {
    faults.push({
      field: at,
      code: 'value',
      message: `${at} is a list of values, which is compared with null only.`,
      expected: '{ "contains": a value }, or null',
    })
    return []
  }
  const items = operator === 'in' ? value : [value]
  if (!Array.isArray(items) || items.length > LIMITS.list) {
    faults.push(
      Array.isArray(items)
        ? { field: at, code: 'count', message: `${at} has more than ${LIMITS.list} members.`, expected: `at most ${LIMITS.list}` }
        : { field: at, code: 'type', message: `${at} must be a list, not ${kindOf(value)}.`, expected: 'a list' },
    )
    return []
  }
  const mayBeNull = operator === 'eq' || operator === 'ne' || operator === 'in'
  const before = faults.length
  const read = items.map((item, i) => {
    if (item === null && mayBeNull) return null
    faults.push(...faultsOf(operandSchema(field.family, operator as Operator), item, operator === 'in' ? `${at}.${i}` : at))
    return item as Value
  })
  if (faults.length > before) return []
  const compared = {
    ...(field.through && { through: field.through }),
    field: field.field,
    ...(field.name !== undefined && { name: field.name }),
    family: field.family,
  }
  if (field.family === 'timestamp' && read.some(isSubMillisecond)) return between(compared, operator as Operator, read)
  const values = read.map((item) => canonical(field.kind, item))
  return [{ ...compared, operator: operator as Operator, value: operator === 'in' ? values : (values[0] as Value) }]
}

const isSubMillisecond = (value: Value) => typeof value === 'string' && /T[\d:]*\.\d{3}\d*[1-9]/i.test(value)

/** Times are stored in milliseconds, so a finer one equals none of them and lies between two. */
function between(compared: Omit<Condition, 'operator' | 'value'>, operator: Operator, read: readonly Value[]): Condition[] {
  const utc = (value: Value) => canonical('timestamp', value)
  const [only = null] = read
  if (operator === 'ne') return []
  if (operator === 'eq' || operator === 'in') return [{ ...compared, operator: 'in', value: read.filter((value) => !isSubMillisecond(value)).map(utc) }]
  const below = operator === 'lt' || operator === 'lte'
  return [{ ...compared, operator: below ? 'lte' : 'gt', value: utc(only) }]
}

/** A value as it is stored: times in UTC, money without floating-point errors. */
export function canonical(kind: FieldKind, value: Value): Value {
  if (kind === 'timestamp' && typeof value === 'string') return utcOf(value) ?? value
  if (kind === 'money' && typeof value === 'number') return exactMoney(value) ?? value
  return value
}

const ORDER = /^\s*(\S+)(?:\s+(asc|desc))?\s*$/i

/** Parses `OrderBy`; newest first where there is none. */
export function readOrder(record: RecordType, vocabulary: Vocabulary, orderBy: string | undefined, faults: Fault[]): Order {
  const newestFirst: Order = { field: record.createdField, descending: true }
  if (orderBy === undefined) return newestFirst
  const [, name, direction] = ORDER.exec(orderBy) ?? []
  if (name === undefined) {
    faults.push({
      field: 'OrderBy',
      code: 'form',
      message: 'OrderBy is not a field and a direction.',
      expected: `a field, then asc or desc: ${record.id} desc`,
    })
    return newestFirst
  }
  const field = lookUp(vocabulary, name, 'OrderBy', faults)
  if (isFault(field)) {
    faults.push(field)
    return newestFirst
  }
  return { field: field.field, ...(field.name !== undefined && { name: field.name }), descending: direction?.toLowerCase() === 'desc' }
}

export interface Selection {
  /** The record's own fields wanted. */
  readonly fields: readonly string[]
  /** The user-defined ones; undefined means all, where `fields` has their member. */
  readonly names: readonly string[] | undefined
}

/** Parses `Select`; undefined where all fields are wanted. */
export function readSelect(record: RecordType, vocabulary: Vocabulary, select: readonly string[] | undefined, faults: Fault[]): Selection | undefined {
  if (select === undefined) return undefined
  const fields = new Set<string>()
  const names: string[] = []
  const answered = record.userDefined ? ['Fields', record.userDefined] : []
  for (const [i, name] of select.entries()) {
    if (faults.length >= LIMITS.faults) break
    const shown = Object.hasOwn(record.fields, name) && record.fields[name]?.access !== 'secret'
    if (shown || answered.includes(name)) {
      fields.add(name)
      continue
    }
    const found = vocabulary.ambiguous.has(name) ? { field: record.userDefined as string, name } : lookUp(vocabulary, name, `Select.${i}`, faults)
    if ('message' in found) faults.push(found)
    else if (found.name !== undefined) {
      fields.add(found.field)
      names.push(found.name)
    }
  }
  const whole = record.userDefined !== undefined && select.includes(record.userDefined)
  return { fields: [...fields], names: names.length > 0 && !whole ? names : undefined }
}
