import type { TSchema } from 'typebox'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { type Field, field } from '../../contract/fields.ts'
import { BATCH_INDEX, IDEMPOTENCY_KEY, isIdempotencyKey, LIMITS } from '../../contract/limits.ts'
import { type Operation, searches } from '../../contract/operation.ts'
import { recordType, STORE_TYPES } from '../../contract/operations.ts'
import { type RecordType, referencesOf } from '../../contract/record.ts'
import { Change } from '../../contract/records/change.ts'
import { CUSTOM_TYPES, type CustomType } from '../../contract/records/custom-object.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Value } from '../../platforms/platform.ts'
import { mayRead, ownersFor } from '../access/access.ts'
import type { Binding } from '../binding.ts'
import { fingerprintOf } from '../journal/idempotency.ts'
import { seesNumbers } from '../journal/positions.ts'
import type { Call, Caller, Service } from '../service.ts'
import { CallBudget } from './budget.ts'
import { invalidCursor, parseCursor } from './cursors.ts'
import { definitionsFor } from './definitions.ts'
import { typeOn } from './extension.ts'
import { limitFaults } from './field-limits.ts'
import { canonical, type Reference, readFilters, readOrder, readSelect, type Vocabulary, vocabularyOf, withDefinitions, withholding } from './filters.ts'
import { withLevel } from './levels.ts'
import { faultsOf, kindOf } from './schemas.ts'
import type { CheckedCall, Input, Search } from './types.ts'

type Checked = Pick<CheckedCall, 'input' | 'search'>

/** The check step: the input by the contract, then the idempotency key of a write. */
export function check(service: Service, operation: Operation, call: Call, binding: Binding): CheckedCall | Promise<CheckedCall> {
  const checked = checkInput(service, binding, call.caller, operation, call.input)
  return checked instanceof Promise
    ? checked.then((known) => checkedCall(service, operation, call, binding, known))
    : checkedCall(service, operation, call, binding, checked)
}

function checkedCall(service: Service, operation: Operation, call: Call, binding: Binding, { input, search }: Checked): CheckedCall {
  const key = operation.effect === 'read' ? undefined : call.idempotencyKey
  if (key !== undefined && !isIdempotencyKey(key, BATCH_INDEX)) throw keyFault()
  return {
    service,
    caller: call.caller,
    binding,
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
function checkInput(service: Service, binding: Binding, caller: Caller, operation: Operation, input: unknown): Checked | Promise<Checked> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refuse(operation, [{ field: 'input', code: 'type', message: `The input must be an object, not ${kindOf(input)}.`, expected: 'an object' }])
  }
  const given = input as Input
  const faults = faultsOf(shapeOf(operation), given).map((fault) => readOnly(operation.record, fault))
  // A field gets one fault: that of the contract comes before that of the platform.
  for (const fault of limitFaults(service, binding, operation, given)) if (!faults.some(({ field }) => field === fault.field)) faults.push(fault)
  if (!searches(operation)) return checked(operation, given, NO_SEARCH, faults)
  if (!operation.record.userDefined)
    return checked(operation, given, readSearch(operation.record, vocabularyFor(binding, caller, operation.record, given), given, faults), faults)
  const names = objectNames(isObject(given.Filters) ? given.Filters.ObjectName : undefined)
  return definitionsFor(binding, caller.workspace, names).then((definitions) =>
    checked(operation, given, readSearch(operation.record, withDefinitions(operation.record, definitions, names), given, faults), faults),
  )
}

function vocabularyFor(binding: Binding, caller: Caller, record: RecordType, { Filters, OrderBy, Select }: Input): Vocabulary {
  if (record === Change && !seesNumbers(caller)) return WITHOUT_NUMBERS
  // Which references a caller may follow is not looked up where there is none to follow.
  if (Filters === undefined && OrderBy === undefined && Select === undefined) return vocabularyOf(record)
  const references = referencesFor(binding, caller, record)
  const unread = followable(record).flatMap(({ name, refers }) => (references.has(name) ? [] : [[name, refers] as const]))
  return references.size + unread.length > 0 ? { ...vocabularyOf(record), references, unread: new Map(unread) } : vocabularyOf(record)
}

const followable = (record: RecordType) => referencesOf(record).filter(({ refers }) => !STORE_TYPES.includes(refers))

/** The references whose records the caller may read. Of records that they may not see, every field is null. */
function referencesFor(binding: Binding, caller: Caller, record: RecordType): ReadonlyMap<string, Reference> {
  const followed = followable(record).filter(({ refers }) => mayRead(caller, recordType(refers)))
  return new Map(
    followed.map(({ name, field, refers }) => {
      const type = typeOn(binding.platform, recordType(refers))
      return [name, { through: { field, type: type.name, ...ownersFor(caller, type) }, vocabulary: vocabularyOf(type) }]
    }),
  )
}

/** By time they are in the same order, but for changes of the same moment. */
const WITHOUT_NUMBERS = withholding(vocabularyOf(Change), new Map([['Number', Change.createdField]]))

function checked(operation: Operation, given: Input, search: Search, faults: readonly Fault[]): Checked {
  if (faults.length > 0)
    throw refuse(
      operation,
      faults.map((fault) => withLevel(operation, fault)),
    )
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
    hint: (code === 'unsupported' && remedyFor(operation, faults)) || `GET /v1/operations/${operation.id} shows the input that is expected.`,
  })
}

/** How a field gets a place that the platform does not have yet; the first of those that are known. */
function remedyFor({ record: { fields } }: Operation, faults: readonly Fault[]): string | undefined {
  const names = faults.map(({ field }) => field.split('.').at(-1) ?? '')
  return names.flatMap((name) => (Object.hasOwn(fields, name) ? (fields[name]?.remedy ?? []) : []))[0]
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
function canonicalInput({ record: { fields }, verb, nested }: Pick<Operation, 'record' | 'verb' | 'nested'>, input: Input): Input {
  const result: Record<string, unknown> = {}
  for (const name in input) {
    const value = input[name]
    // An upsert may be an update, which null clears a field of.
    if (value === null && verb !== 'upsert') continue
    const draft = Object.hasOwn(nested, name) ? nested[name] : undefined
    if (name === 'FieldsToUpdate' && isObject(value)) {
      // The caller chooses the names of user-defined fields, so the map has no prototype: a name such as `constructor` is safe in it.
      const changes: Record<string, unknown> = Object.create(null)
      for (const [field, to] of Object.entries(value))
        changes[field] = Object.hasOwn(fields, field) && fields[field] ? canonicalChange(fields[field], to as Value) : to
      result[name] = changes
    } else if (draft) result[name] = canonicalInput({ record: draft, verb: 'create', nested: {} }, value as Input)
    else result[name] = Object.hasOwn(fields, name) && fields[name] ? canonical(fields[name].kind, value as Value) : value
  }
  return result
}

/** A boolean that has a default always has a value: clearing it is setting the default. */
const canonicalChange = ({ kind, defaultValue }: Field, value: Value): Value =>
  value === null && kind === 'boolean' && defaultValue !== undefined ? (defaultValue as Value) : canonical(kind, value)

/** The faults of a user-defined value, by the type of its field alone. */
export function customFaults(type: CustomType, value: unknown, at: string): Fault[] {
  return value === null ? [] : faultsOf(CUSTOM_VALUES[type], value, at)
}

const CUSTOM_VALUES = Object.fromEntries(
  Object.entries(CUSTOM_TYPES).map(([type, kind]) => [type, (field[kind] as (options: object) => Field)({ label: type, suggested: [] }).schema]),
) as unknown as { readonly [type in CustomType]: TSchema }
