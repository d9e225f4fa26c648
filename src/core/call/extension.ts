import { type TSchema, Type } from 'typebox'
import { FIELD_KINDS, type Field, type FieldKind, field } from '../../contract/fields.ts'
import { includeSchema, type Operation, searches } from '../../contract/operation.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import { draftOf, type Fields, type RecordType, referencesOf, upsertInput, withFields } from '../../contract/record.ts'
import { includedIn } from '../../contract/shapes.ts'
import type { ExtraField, FieldLimits, Platform } from '../../platforms/platform.ts'

/** A platform, as far as it changes the fields of the contract. */
export type Extending = Pick<Platform, 'name'> & { readonly supports: Pick<Platform['supports'], 'fields' | 'extras'> }

interface Extended {
  readonly types: Map<string, RecordType>
  readonly operations: Map<string, Operation>
}

/** Memoised for each platform. */
const extended = new WeakMap<Extending['supports'], Extended>()

function extendedBy({ supports }: Extending): Extended {
  let cached = extended.get(supports)
  if (!cached) {
    cached = { types: new Map(), operations: new Map() }
    extended.set(supports, cached)
  }
  return cached
}

/** Whether a platform changes the fields of a record type. Those of custom objects are user-defined. */
function isExtended({ supports }: Extending, { name, userDefined }: RecordType): boolean {
  return userDefined === undefined && (supports.fields[name] !== undefined || supports.extras[name] !== undefined)
}

/** A record type with the platform's fields; the identical object where the platform changes none. */
export function typeOn(platform: Extending, type: RecordType): RecordType {
  if (!isExtended(platform, type)) return type
  const { types } = extendedBy(platform)
  let cached = types.get(type.name)
  if (!cached) {
    cached = withFields(type, fieldsOn(platform, type))
    types.set(type.name, cached)
  }
  return cached
}

/** An operation with the platform's fields; the identical object where the platform changes none. */
export function operationOn<O extends Operation>(platform: Extending, operation: O): Operation {
  const { nested } = operation
  if (![operation.record, ...Object.values(nested)].some((type) => isExtended(platform, type))) return operation
  const { operations } = extendedBy(platform)
  let cached = operations.get(operation.id)
  if (!cached) {
    const record = typeOn(platform, operation.record)
    const drafts = Object.fromEntries(Object.entries(nested).map(([member, type]) => [member, typeOn(platform, type)]))
    cached = {
      ...(operation as Operation),
      record,
      nested: drafts,
      input: withDrafts(inputOn(operation, record), drafts),
      output: outputOn(operation.output, operation.record, record),
    }
    operations.set(operation.id, cached)
  }
  return cached
}

function fieldsOn({ name: platform, supports }: Extending, type: RecordType): Fields {
  const limits = supports.fields[type.name] ?? {}
  const limitsOf = (name: string) => (Object.hasOwn(limits, name) ? (limits[name] as FieldLimits) : {})
  const own = Object.entries(type.fields).map(([name, one]): [string, Field] => [name, fieldOn(platform, one, limitsOf(name))])
  const more = Object.entries(type.owned ? (supports.extras[type.name] ?? {}) : {}).flatMap(([name, extra]): [string, Field][] => {
    const one = extraField(extra)
    return one ? [[name, fieldOn(platform, one, limitsOf(name))]] : []
  })
  // The fields that all record types share come last.
  const common = own.findIndex(([name]) => name === 'OwnerID')
  return Object.fromEntries(common < 0 ? own : [...own.slice(0, common), ...more, ...own.slice(common)])
}

function fieldOn(platform: string, base: Field, { absent, remedy, required, defaultValue, closed }: FieldLimits): Field {
  if (absent) {
    // A required field with a default is answered with the default.
    const always = base.required && base.defaultValue !== undefined
    return { ...base, absent: platform, ...(remedy !== undefined && { remedy }), ...(!always && { required: false, defaultValue: undefined }) }
  }
  // A default that the platform does not accept is dropped.
  const initial = closed && !closed.includes(base.defaultValue as string) ? undefined : base.defaultValue
  const insisted = required === true && base.access === 'write'
  return {
    ...base,
    defaultValue: defaultValue === undefined ? initial : defaultValue,
    closed: closed ?? base.closed,
    suggested: closed ? base.suggested?.filter((value) => closed.includes(value)) : base.suggested,
    schema: { ...base.schema, ...(closed && base.kind === 'choice' && { examples: closed }), ...(insisted && notBlank(base)) } as TSchema,
    ...(insisted && { insisted }),
  }
}

/** A required text may not be blank. */
function notBlank({ schema }: Field): object {
  const { type, format } = schema as { type?: string; format?: string }
  return type === 'string' && format === 'text' ? { minLength: 1, pattern: '\\S' } : {}
}

/** A field that the contract does not have; undefined for JSON of a CRM, which no field of one holds. */
function extraField({ kind, label, readOnly, refers, own }: ExtraField): Field | undefined {
  if (kind === 'json' && !own) return undefined
  const made = (kind === 'json' ? jsonField : field[kind]) as (options: object) => Field
  const one = made({ label, access: readOnly ? 'read' : 'write', suggested: [], ...(kind === 'integer' && EXACT) })
  return { ...one, suggested: undefined, refers, extra: true, ...(own && { own: true, unique: own.unique }) }
}

/** Integers beyond these are not exact. */
const EXACT = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Any JSON but null, which is no value. */
const jsonField = (options: { readonly label: string }) => field.json(Type.Unsafe({ type: ['object', 'array', 'string', 'number', 'boolean'] }), options)

interface ObjectSchema {
  readonly properties: { readonly [name: string]: TSchema }
}

function inputOn({ verb, input }: Operation, record: RecordType): TSchema {
  const { properties } = input as unknown as ObjectSchema
  const inPlaceOf = (name: string, schema: TSchema) =>
    Object.hasOwn(properties, name) ? ({ ...input, properties: { ...properties, [name]: schema } } as TSchema) : input
  if (verb === 'create') return draftWithExtras(record, properties)
  if (verb === 'upsert') return upsertInput(record.fields)
  if (verb === 'get') return inPlaceOf('Include', Type.Optional(includeSchema(record)))
  if (verb === 'update') return inPlaceOf('FieldsToUpdate', record.patch)
  if (!searches({ verb })) return input
  const Include = Object.hasOwn(properties, 'Include') ? { Include: Type.Optional(includeSchema(record)) } : {}
  return { ...input, properties: { ...properties, Filters: Type.Optional(record.filters), ...Include } } as TSchema
}

/** A draft of these members and of the fields that the contract does not have. */
function draftWithExtras({ fields }: RecordType, properties: object): TSchema {
  const more = Object.keys(fields).filter((name) => fields[name]?.extra && fields[name]?.access === 'write')
  return draftOf(fields, [...Object.keys(properties), ...more])
}

/** An input whose members that are drafts have the platform's fields. */
function withDrafts(input: TSchema, drafts: { readonly [member: string]: RecordType }): TSchema {
  const { properties } = input as unknown as ObjectSchema
  const members = Object.entries(drafts).map(([member, type]) => {
    const { properties: own, ...rest } = properties[member] as TSchema & ObjectSchema
    const { properties: all, required } = draftWithExtras(type, own) as TSchema & ObjectSchema & { readonly required?: readonly string[] }
    return [member, { ...rest, properties: all, required: required ?? [] }] as const
  })
  return members.length === 0 ? input : ({ ...input, properties: { ...properties, ...Object.fromEntries(members) } } as TSchema)
}

/** An answer's schema with the platform's fields wherever it contains the record: alone, in a list, or with further members. */
function outputOn(schema: TSchema, base: RecordType, record: RecordType): TSchema {
  const { properties, items } = schema as Partial<ObjectSchema> & { readonly items?: TSchema }
  if (items) {
    const inside = outputOn(items, base, record)
    return inside === items ? schema : ({ ...schema, items: inside } as TSchema)
  }
  if (!properties) return schema
  const [before, after] = [base.stored, record.stored] as unknown as [ObjectSchema, ObjectSchema]
  // The fields come first in the answer, so they are spread first, and again to override the base schema.
  if (Object.keys(before.properties).every((name) => Object.hasOwn(properties, name))) {
    const includes = referencesOf(base).some(({ name }) => Object.hasOwn(properties, name))
    return { ...schema, properties: { ...after.properties, ...properties, ...after.properties, ...(includes && includedIn(record)) } } as TSchema
  }
  const members = Object.entries(properties).map(([name, one]) => [name, outputOn(one, base, record)] as const)
  return members.every(([name, one]) => one === properties[name]) ? schema : ({ ...schema, properties: Object.fromEntries(members) } as TSchema)
}

/** The part of a describe answer that a client extends its contract by. */
export interface Described {
  readonly Platform: string
  readonly RecordTypes: readonly { readonly Name: string; readonly Fields: readonly DescribedField[] }[]
}

interface DescribedField {
  readonly Name: string
  readonly Type: string
  readonly Label: string
  readonly Writable: boolean
  readonly Required: boolean
  readonly RefersTo: string | null
  readonly Unique: boolean
  readonly Own: boolean
}

/** A remote service's platform by its describe answer: the fields beyond the contract, and which of them are required. Its limits of the others are only found when it refuses. */
export function describedPlatform({ Platform, RecordTypes }: Described): Extending {
  const beyond = RecordTypes.map(({ Name, Fields }) => {
    const known = RECORD_TYPES.find(({ name }) => name === Name)?.fields ?? {}
    return [Name, Fields.filter((one) => !Object.hasOwn(known, one.Name) && Object.hasOwn(FIELD_KINDS, one.Type))] as const
  }).filter(([, more]) => more.length > 0)
  const byType = <T>(of: (one: DescribedField) => T) =>
    Object.fromEntries(beyond.map(([type, more]) => [type, Object.fromEntries(more.map((one) => [one.Name, of(one)]))]))
  return {
    name: Platform,
    supports: {
      fields: byType(({ Required }): FieldLimits => ({ required: Required })),
      extras: byType(
        (one): ExtraField => ({
          kind: one.Type as FieldKind,
          label: one.Label,
          readOnly: !one.Writable,
          refers: one.RefersTo ?? undefined,
          ...(one.Own && { own: { indexed: false, unique: one.Unique } }),
        }),
      ),
    },
  }
}
