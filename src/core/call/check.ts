import type { TSchema } from 'typebox'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import { BATCH_INDEX, IDEMPOTENCY_KEY, isIdempotencyKey, LIMITS } from '../../contract/limits.ts'
import { type Operation, searches } from '../../contract/operation.ts'
import type { RecordType } from '../../contract/record.ts'
import { Change } from '../../contract/records/change.ts'
import { CUSTOM_TYPES } from '../../contract/records/custom-object.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Value } from '../../platforms/platform.ts'
import { fingerprintOf } from '../journal/idempotency.ts'
import { seesNumbers } from '../journal/positions.ts'
import type { Call, Caller, Service } from '../service.ts'
import { CallBudget } from './budget.ts'
import { invalidCursor, parseCursor } from './cursors.ts'
import { definitionsFor } from './definitions.ts'
import { limitFaults } from './field-limits.ts'
import { canonical, readFilters, readOrder, readSelect, type Vocabulary, vocabularyOf, withDefinitions, withholding } from './filters.ts'
import { faultsOf, kindOf } from './schemas.ts'
import type { CheckedCall, Input, Search } from './types.ts'

type Checked = Pick<CheckedCall, 'input' | 'search'>

/** The check step: the input by the contract, then the idempotency key of a write. */
export function check(service: Service, operation: Operation, call: Call): CheckedCall | Promise<CheckedCall> {
  const checked = checkInput(service, call.caller, operation, call.input)
  return checked instanceof Promise ? checked.then((known) => checkedCall(service, operation, call, known)) : checkedCall(service, operation, call, checked)
}

function checkedCall(service: Service, operation: Operation, call: Call, { input, search }: Checked): CheckedCall {
  const key = operation.effect === 'read' ? undefined : call.idempotencyKey
  if (key !== undefined && !isIdempotencyKey(key, BATCH_INDEX)) throw keyFault()
  return {
    service,
    caller: call.caller,
    operation,
    input,
    search,
    budget: new CallBudget(service, call, operation, search),
    call,
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprintOf(operation, input) },
  }
}

function keyFault(): CrmError {
  const message = `The idempotency key must be ${IDEMPOTENCY_KEY}.`
  return new CrmError('invalid_input', message, { errors: [{ field: 'Idempotency-Key', code: 'form', message, expected: IDEMPOTENCY_KEY }] })
}

/** Throws all faults at once, and returns canonical values. A search of custom objects reads the definitions of the workspace. */
function checkInput(service: Service, caller: Caller, operation: Operation, input: unknown): Checked | Promise<Checked> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refuse(operation, [{ field: 'input', code: 'type', message: `The input must be an object, not ${kindOf(input)}.`, expected: 'an object' }])
  }
  const given = input as Input
  const faults = faultsOf(shapeOf(operation), given).map((fault) => readOnly(operation.record, fault))
  // A field gets one fault: that of the contract comes before that of the platform.
  for (const fault of limitFaults(service, caller, operation, given)) if (!faults.some(({ field }) => field === fault.field)) faults.push(fault)
  if (!searches(operation)) return checked(operation, given, NO_SEARCH, faults)
  if (!operation.record.userDefined)
    return checked(operation, given, readSearch(operation.record, vocabularyFor(caller, operation.record), given, faults), faults)
  const names = objectNames(isObject(given.Filters) ? given.Filters.ObjectName : undefined)
  return definitionsFor(service, caller.workspace, names).then((definitions) =>
    checked(operation, given, readSearch(operation.record, withDefinitions(operation.record, definitions, names), given, faults), faults),
  )
}

const vocabularyFor = (caller: Caller, record: RecordType) => (record === Change && !seesNumbers(caller) ? WITHOUT_NUMBERS : vocabularyOf(record))

/** By time they are in the same order, but for changes of the same moment. */
const WITHOUT_NUMBERS = withholding(vocabularyOf(Change), new Map([['Number', Change.createdField]]))

function checked(operation: Operation, given: Input, search: Search, faults: readonly Fault[]): Checked {
  if (faults.length > 0) throw refuse(operation, faults)
  return { input: canonicalInput(operation, given), search }
}

const NO_SEARCH: Search = { where: [], order: { field: 'CreatedDate', descending: true }, select: undefined }

export function refuse(operation: Operation, faults: readonly Fault[]): CrmError {
  const [first] = faults
  const count = faults.length >= LIMITS.faults ? `${LIMITS.faults} faults or more` : `${faults.length} faults in all`
  const more = faults.length > 1 ? ` There are ${count}.` : ''
  const code = faults.every((fault) => fault.code === 'unsupported') ? 'unsupported' : 'invalid_input'
  return new CrmError(code, `${operation.name}: ${first?.message}${more}`, {
    errors: faults.slice(0, LIMITS.faults),
    hint: `GET /v1/operations/${operation.id} shows the input that is expected.`,
  })
}

const shapes = new WeakMap<Operation, TSchema>()

/** The input's schema without that of Filters: `readFilters` checks them, with user-defined fields and more precise faults. */
function shapeOf(operation: Operation): TSchema {
  let shape = shapes.get(operation)
  if (!shape) {
    const input = operation.input as TSchema & { properties: Record<string, TSchema> }
    shape = searches(operation) ? ({ ...input, properties: { ...input.properties, Filters: { type: 'object' } } } as TSchema) : input
    shapes.set(operation, shape)
  }
  return shape
}

function readSearch(record: RecordType, vocabulary: Vocabulary, input: Input, faults: Fault[]): Search {
  if (typeof input.Cursor === 'string' && !parseCursor(input.Cursor) && !faults.some(({ field }) => field === 'Cursor')) faults.push(invalidCursor())
  return {
    where: readFilters(vocabulary, isObject(input.Filters) ? input.Filters : {}, faults),
    order: readOrder(record, vocabulary, typeof input.OrderBy === 'string' ? input.OrderBy : undefined, faults),
    select: readSelect(record, vocabulary, isTexts(input.Select) ? input.Select : undefined, faults),
  }
}

/** The objects a filter narrows the search to. */
function objectNames(filter: unknown): readonly string[] | undefined {
  const value = isObject(filter) ? (filter.eq ?? filter.in) : filter
  return typeof value === 'string' ? [value] : isTexts(value) ? value : undefined
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Reports a field that exists but may not be set as read-only rather than unknown. */
function readOnly(record: RecordType, fault: Fault): Fault {
  const name = fault.field.startsWith('FieldsToUpdate.') ? fault.field.slice('FieldsToUpdate.'.length) : ''
  if (fault.code !== 'unknown' || !Object.hasOwn(record.fields, name) || record.fields[name]?.access === 'secret') return fault
  const { expected } = fault
  return { field: fault.field, code: 'read_only', message: `${name} cannot be changed.`, ...(expected && { expected }) }
}

/** Values in their canonical form; a null in the input of a create counts as left out. */
function canonicalInput(operation: Operation, input: Input): Input {
  const { fields } = operation.record
  const result: Record<string, unknown> = {}
  for (const name in input) {
    const value = input[name]
    if (value === null) continue
    if (name === 'FieldsToUpdate' && isObject(value)) {
      // The caller chooses the names of user-defined fields, so the map has no prototype: a name such as `constructor` is safe in it.
      const changes: Record<string, unknown> = Object.create(null)
      for (const [field, to] of Object.entries(value))
        changes[field] = Object.hasOwn(fields, field) && fields[field] ? canonical(fields[field].kind, to as Value) : to
      result[name] = changes
    } else result[name] = Object.hasOwn(fields, name) && fields[name] ? canonical(fields[name].kind, value as Value) : value
  }
  return result
}

/** The faults of a user-defined value. */
export function customFaults(type: keyof typeof CUSTOM_TYPES, value: unknown, at: string): Fault[] {
  const family = FIELD_KINDS[CUSTOM_TYPES[type]]
  return value === null ? [] : faultsOf(CUSTOM_VALUES[family], value, at)
}

const CUSTOM_VALUES = {
  text: { type: 'string', format: 'text', maxLength: LIMITS.longText },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  timestamp: { type: 'string', format: 'date-time' },
} as const
