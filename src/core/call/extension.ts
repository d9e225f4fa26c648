import type { TSchema } from 'typebox'
import { FIELD_KINDS, type Field, type FieldAccess, type FieldKind, field } from '../../contract/fields.ts'
import { type Operation, searches } from '../../contract/operation.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import { draftOf, type Fields, type RecordType, withFields } from '../../contract/record.ts'
import type { ExtraField, FieldLimits, Platform } from '../../platforms/platform.ts'

/** What is known of a platform here: what it says of fields beyond the contract. */
export type Extending = Pick<Platform, 'name'> & { readonly supports: Pick<Platform['supports'], 'fields' | 'extras'> }

interface Extended {
  readonly types: Map<string, RecordType>
  readonly operations: Map<string, Operation>
}

/** Worked out once for each platform. */
const extended = new WeakMap<Extending['supports'], Extended>()

function extendedBy({ supports }: Extending): Extended {
  let known = extended.get(supports)
  if (!known) {
    known = { types: new Map(), operations: new Map() }
    extended.set(supports, known)
  }
  return known
}

/** Custom objects have fields of their own anyway. */
function isExtended({ supports }: Extending, { name, userDefined }: RecordType): boolean {
  return userDefined === undefined && (supports.fields[name] !== undefined || supports.extras[name] !== undefined)
}

/** A record type as it is on a platform; the very same where the platform says nothing of it. */
export function typeOn(platform: Extending, type: RecordType): RecordType {
  if (!isExtended(platform, type)) return type
  const { types } = extendedBy(platform)
  let known = types.get(type.name)
  if (!known) {
    known = withFields(type, fieldsOn(platform, type))
    types.set(type.name, known)
  }
  return known
}

/** An operation as it is on a platform; the very same where the platform says nothing of its record type. */
export function operationOn<O extends Operation>(platform: Extending, operation: O): Operation {
  if (!isExtended(platform, operation.record)) return operation
  const { operations } = extendedBy(platform)
  let known = operations.get(operation.id)
  if (!known) {
    const record = typeOn(platform, operation.record)
    known = { ...(operation as Operation), record, input: inputOn(operation, record), output: outputOn(operation.output, operation.record, record) }
    operations.set(operation.id, known)
  }
  return known
}

function fieldsOn({ name: platform, supports }: Extending, type: RecordType): Fields {
  const limits = supports.fields[type.name] ?? {}
  const said = (name: string) => (Object.hasOwn(limits, name) ? (limits[name] as FieldLimits) : {})
  const own = Object.entries(type.fields).map(([name, one]): [string, Field] => [name, fieldOn(platform, one, said(name))])
  const more = Object.entries(type.owned ? (supports.extras[type.name] ?? {}) : {}).flatMap(([name, extra]): [string, Field][] => {
    const one = extraField(extra)
    return one ? [[name, fieldOn(platform, one, said(name))]] : []
  })
  // What records of every type carry comes last.
  const common = own.findIndex(([name]) => name === 'OwnerID')
  return Object.fromEntries(common < 0 ? own : [...own.slice(0, common), ...more, ...own.slice(common)])
}

function fieldOn(platform: string, known: Field, { absent, required, atBirth, closed }: FieldLimits): Field {
  if (absent) {
    // What always has a value has the one that it is born with.
    const always = known.required && known.atBirth !== undefined
    return { ...known, absent: platform, ...(!always && { required: false, atBirth: undefined }) }
  }
  // A word that the platform does not take is nothing to be born with.
  const born = closed && !closed.includes(known.atBirth as string) ? undefined : known.atBirth
  const insisted = required === true && known.access === 'write'
  return {
    ...known,
    atBirth: atBirth === undefined ? born : atBirth,
    closed: closed ?? known.closed,
    suggested: closed ? known.suggested?.filter((word) => closed.includes(word)) : known.suggested,
    schema: { ...known.schema, ...(closed && known.kind === 'choice' && { examples: closed }), ...(insisted && saying(known)) } as TSchema,
    ...(insisted && { insisted }),
  }
}

/** Whoever needs a text needs one that says something. */
function saying({ schema }: Field): object {
  const { type, format } = schema as { type?: string; format?: string }
  return type === 'string' && format === 'text' ? { minLength: 1, pattern: '\\S' } : {}
}

/** JSON is nothing that a field of a CRM could hold. */
function extraField({ kind, label, readOnly }: ExtraField): Field | undefined {
  if (kind === 'json') return undefined
  const made = field[kind] as (options: { label: string; access: FieldAccess; suggested: readonly string[] }) => Field
  return { ...made({ label, access: readOnly ? 'read' : 'write', suggested: [] }), suggested: undefined, extra: true }
}

interface ObjectSchema {
  readonly properties: { readonly [name: string]: TSchema }
}

function inputOn({ verb, input }: Operation, record: RecordType): TSchema {
  const { properties } = input as unknown as ObjectSchema
  const inPlaceOf = (name: string, schema: TSchema) =>
    Object.hasOwn(properties, name) ? ({ ...input, properties: { ...properties, [name]: schema } } as TSchema) : input
  if (verb === 'create') {
    const more = Object.keys(record.fields).filter((name) => record.fields[name]?.extra && record.fields[name]?.access === 'write')
    return draftOf(record.fields, [...Object.keys(properties), ...more])
  }
  if (verb === 'update') return inPlaceOf('FieldsToUpdate', record.patch)
  return searches({ verb }) ? inPlaceOf('Filters', record.filters) : input
}

/** An answer with the record as it is on the platform wherever it shows one, alone, in a list, or with more beside its fields. */
function outputOn(schema: TSchema, known: RecordType, record: RecordType): TSchema {
  const { properties, items } = schema as Partial<ObjectSchema> & { readonly items?: TSchema }
  if (items) {
    const inside = outputOn(items, known, record)
    return inside === items ? schema : ({ ...schema, items: inside } as TSchema)
  }
  if (!properties) return schema
  const [before, after] = [known.stored, record.stored] as unknown as [ObjectSchema, ObjectSchema]
  // The fields of a record come first, and what they are here counts.
  if (Object.keys(before.properties).every((name) => Object.hasOwn(properties, name)))
    return { ...schema, properties: { ...after.properties, ...properties, ...after.properties } } as TSchema
  const members = Object.entries(properties).map(([name, one]) => [name, outputOn(one, known, record)] as const)
  return members.every(([name, one]) => one === properties[name]) ? schema : ({ ...schema, properties: Object.fromEntries(members) } as TSchema)
}

/** What an answer of describe says of a platform that only others can see. */
export interface Described {
  readonly Platform: string
  readonly RecordTypes: readonly {
    readonly Name: string
    readonly Fields: readonly { readonly Name: string; readonly Type: string; readonly Label: string; readonly Writable: boolean }[]
  }[]
}

/** The platform as it was described: which fields it has beyond the contract. What it takes of the others it says when it refuses. */
export function describedPlatform({ Platform, RecordTypes }: Described): Extending {
  const extras = RecordTypes.flatMap(({ Name, Fields }) => {
    const known = RECORD_TYPES.find(({ name }) => name === Name)?.fields ?? {}
    const more = Fields.filter((one) => !Object.hasOwn(known, one.Name) && Object.hasOwn(FIELD_KINDS, one.Type)).map((one): [string, ExtraField] => [
      one.Name,
      { kind: one.Type as FieldKind, label: one.Label, readOnly: !one.Writable },
    ])
    return more.length > 0 ? [[Name, Object.fromEntries(more)] as const] : []
  })
  return { name: Platform, supports: { fields: {}, extras: Object.fromEntries(extras) } }
}
