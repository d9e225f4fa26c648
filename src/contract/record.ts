import { type Static, type TObject, type TOptional, type TSchema, type TUnsafe, Type } from 'typebox'
import { FAMILIES, type Family, FIELD_KINDS, type Field, field, nullable, type Operator, operandSchema } from './fields.ts'
import { LIMITS } from './limits.ts'

export type Fields = { readonly [name: string]: Field }

/** The type of a field in an answer. */
type Answered<F> = F extends Field<infer V, infer R> ? (R extends true ? V : V | null) : never

/** The members of a record of this type, secret ones included. */
export type AllOf<R extends { readonly fields: object }> = { [K in keyof R['fields']]: Answered<R['fields'][K]> }

type DraftProperties<F extends Fields, Names extends keyof F> = {
  [K in Names]: K extends 'OwnerID'
    ? TOptional<TUnsafe<string>>
    : F[K] extends Field<infer V, true, undefined>
      ? TUnsafe<V>
      : F[K] extends Field<infer V, infer R, unknown>
        ? TOptional<TUnsafe<R extends true ? V : V | null>>
        : never
}

/** All that a caller may set. */
type Draft<A> = A extends Fields ? DraftProperties<A, { [K in keyof A]: A[K]['access'] extends 'write' | 'create' ? K : never }[keyof A]> : never

/** The same, where everything may be left out. */
type PartialDraft<A> = A extends Fields
  ? { [K in keyof A as A[K]['access'] extends 'write' | 'create' ? K : never]: TOptional<TUnsafe<Answered<A[K]>>> }
  : never

/** Fields that record types share, depending on whether they are owned and revised. */
const OWNER = { OwnerID: field.id({ label: 'Owner', description: 'The user the record belongs to.', required: true, refers: 'User' }) }
const CREATED_FIELD = 'CreatedDate'
const CREATED = { CreatedDate: field.timestamp({ label: 'Created', required: true, access: 'read' }) }
const REVISED = {
  UpdatedDate: field.timestamp({ label: 'Updated', required: true, access: 'read' }),
  Revision: field.integer({ label: 'Revision', description: 'Grows with each change of the record.', required: true, access: 'read' }),
}

type Common<Owned extends boolean, Revised extends boolean> = (Owned extends true ? typeof OWNER : unknown) &
  typeof CREATED &
  (Revised extends true ? typeof REVISED : unknown)

/** Records that are attached to another record and deleted with it. */
export interface Children {
  /** The members of the parent's Get answer that show them and their full count. */
  readonly list: string
  readonly total: string
  readonly type: string
}

interface Spec<Name extends string, Id extends string, Owned extends boolean, Revised extends boolean, F extends Fields, Hidden extends boolean> {
  readonly name: Name
  readonly plural: string
  readonly id: Id
  readonly summary: string
  readonly fields: F
  /** Has an OwnerID: first the caller who created it. */
  readonly owned: Owned
  /** Can be updated: has UpdatedDate and Revision. */
  readonly revised: Revised
  /** The field with the owner's id, where that is not OwnerID; null where the whole workspace shares the records. */
  readonly belongs?: string | null
  /** The fields that make up the name of a record, for people. */
  readonly names?: readonly Extract<keyof F, string>[]
  /** The field that summaries group by, and the one they sum. */
  readonly state?: string
  readonly amount?: string
  /** The date summaries call overdue or closing soon. */
  readonly due?: string
  /** Handled oldest first: summaries show the oldest open record. */
  readonly queued?: boolean
  readonly children?: readonly Children[]
  /** The record types it can be attached to, and the field with the parent's id. */
  readonly childOf?: { readonly types: readonly string[]; readonly field: string }
  /** The field that holds user-defined values. */
  readonly userDefined?: string
  /** Kept in the store even where other records are kept in a CRM. */
  readonly inStore?: true
  /** The id is internal and appears in no answer. */
  readonly internalId?: Hidden
  /** The field with the time of creation, where that is not CreatedDate; it is one of `fields`. */
  readonly createdField?: Extract<keyof F, string>
  /** Fields that few records have a value in: their indexes hold those records only, so that the others cost nothing. */
  readonly sparse?: readonly Extract<keyof F, string>[]
  /** The indexed fields; by default all that can be filtered by. */
  readonly indexed?: readonly (Extract<keyof F, string> | Extract<keyof typeof OWNER | keyof typeof REVISED, string>)[]
}

/** Declares a record type. Inputs, answers, filters, SQL columns and forms are derived from its fields. */
export function record<
  const Name extends string,
  const Id extends string,
  const Owned extends boolean,
  const Revised extends boolean,
  F extends Fields,
  const Hidden extends boolean = false,
>(spec: Spec<Name, Id, Owned, Revised, F, Hidden>) {
  type All = { [K in Id]: Field<string, true, undefined, 'id', Hidden extends true ? 'secret' : 'read'> } & F & Common<Owned, Revised>
  const fields = {
    [spec.id]: field.id({ label: `${words(spec.name)} id`, required: true, access: spec.internalId ? 'secret' : 'read' }),
    ...spec.fields,
    ...(spec.owned && OWNER),
    ...(spec.createdField === undefined && CREATED),
    ...(spec.revised && REVISED),
  } as unknown as All
  return {
    name: spec.name,
    plural: spec.plural,
    id: spec.id,
    summary: spec.summary,
    owned: spec.owned as boolean,
    revised: spec.revised as boolean,
    belongs: spec.belongs === undefined ? (spec.owned ? 'OwnerID' : null) : spec.belongs,
    names: (spec.names as readonly string[] | undefined) ?? [],
    state: spec.state,
    amount: spec.amount,
    due: spec.due,
    queued: spec.queued ?? false,
    children: spec.children ?? [],
    childOf: spec.childOf,
    userDefined: spec.userDefined,
    inStore: spec.inStore ?? false,
    internalId: spec.internalId ?? false,
    createdField: (spec.createdField as string | undefined) ?? CREATED_FIELD,
    indexed: spec.indexed as readonly string[] | undefined,
    sparse: (spec.sparse as readonly string[] | undefined) ?? [],
    fields,
    ...(shapesOf(spec, fields as Fields) as unknown as {
      stored: TObject<{ [K in keyof All as All[K] extends { access: 'secret' } ? never : K]: TUnsafe<Answered<All[K]>> }>
      patch: TUnsafe<{ [K in keyof All as All[K] extends { access: 'write' } ? K : never]?: Answered<All[K]> }>
      filters: TUnsafe<Filters<All>>
    }),
    /** The input that creates one, made of these fields, or of all that a caller may set where none is named. */
    draft: <const Names extends readonly (keyof F)[]>(...names: Names): TObject<Names extends readonly [] ? Draft<All> : DraftProperties<F, Names[number]>> =>
      draftOf(fields as Fields, names.length > 0 ? (names as readonly string[]) : settable(fields as Fields)) as never,
    /** The input that creates one or updates the one that is there. */
    upserted: upsertInput(fields as Fields) as unknown as TObject<PartialDraft<All> & { MatchBy: TOptional<TUnsafe<readonly Extract<keyof F, string>[]>> }>,
  }
}

/** The schemas of a record's answer, update and filters. */
function shapesOf({ name, summary, userDefined }: Pick<RecordType, 'name' | 'summary'> & { readonly userDefined?: string | undefined }, fields: Fields) {
  const list = Object.entries(fields)
  const stored = Type.Object(Object.fromEntries(list.filter(([, f]) => f.access !== 'secret').map(([field, f]) => [field, answeredAs(f)])), {
    title: name,
    description: summary,
  })
  const patch = Type.Object(
    Object.fromEntries(list.filter(([, f]) => f.access === 'write').map(([field, f]) => [field, Type.Optional(isInsisted(f) ? f.schema : nullable(f.schema))])),
    { additionalProperties: false, minProperties: 1, title: `${name}Changes`, description: 'The fields to change; null clears an optional one.' },
  )
  return { stored, patch, filters: Type.Unsafe(filtersSchema(fields, name, userDefined !== undefined)) }
}

/** Fields that the configuration adds are optional, since stored answers from before do not have them. */
function answeredAs({ required, schema, extra }: Field): TSchema {
  return extra ? Type.Optional(nullable(schema)) : required ? schema : nullable(schema)
}

const isInsisted = ({ required, insisted = false }: Field) => required || insisted

/** The input of an upsert: what a new record needs is checked once it is known that there is none. */
export function upsertInput(fields: Fields): TObject {
  const { properties } = draftOf(fields, settable(fields), false)
  const MatchBy = Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', format: 'text', maxLength: LIMITS.name }), {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: 'The fields of this input by which the record is looked for; ExternalID by default.',
    }),
  )
  return Type.Object({ ...properties, MatchBy }, { additionalProperties: false })
}

/** The names of the fields that a caller may set. */
const settable = (fields: Fields) => Object.keys(fields).filter((name) => fields[name]?.access === 'write' || fields[name]?.access === 'create')

/** The input that creates a record, made of these fields; required ones may be left out where they have a default, or all of them where `complete` is false. */
export function draftOf(fields: Fields, names: readonly string[], complete = true): TObject {
  const properties = names.map((name) => {
    const f = fields[name] as Field
    if (!complete) return [name, Type.Optional(isInsisted(f) ? f.schema : nullable(f.schema))]
    // A record without an owner is given to the caller.
    if (isInsisted(f) && f.defaultValue === undefined && name !== 'OwnerID') return [name, f.schema]
    // Null counts as left out, so that the default applies.
    return [name, Type.Optional(f.required ? f.schema : nullable(f.schema))]
  })
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false })
}

/** The same record type with other fields, or with more of them. */
export function withFields(type: RecordType, fields: Fields): RecordType {
  return { ...type, fields, ...shapesOf(type, fields) }
}

/** Any record type. */
export interface RecordType {
  readonly name: string
  readonly plural: string
  readonly id: string
  readonly summary: string
  readonly owned: boolean
  readonly revised: boolean
  readonly belongs: string | null
  readonly names: readonly string[]
  readonly state: string | undefined
  readonly amount: string | undefined
  readonly due: string | undefined
  readonly queued: boolean
  readonly children: readonly Children[]
  readonly childOf: { readonly types: readonly string[]; readonly field: string } | undefined
  readonly userDefined: string | undefined
  readonly inStore: boolean
  readonly internalId: boolean
  readonly createdField: string
  readonly indexed: readonly string[] | undefined
  readonly sparse: readonly string[]
  readonly fields: Fields
  readonly stored: TSchema
  readonly patch: TSchema
  readonly filters: TSchema
}

type Operand<Operator, V> = Operator extends 'in'
  ? readonly (V | null)[]
  : Operator extends 'eq' | 'ne'
    ? V | null
    : Operator extends 'contains' | 'startsWith'
      ? string
      : V

/** The filter of a field: a plain value for equality, or an object of operators. */
export type FilterValue<V, F extends Family> = V | null | { [O in (typeof FAMILIES)[F]['operators'][number]]?: Operand<O, V> }

type FilterOf<F> = F extends { access: 'secret' }
  ? never
  : F extends Field<infer V, boolean, unknown, infer Kind>
    ? (typeof FIELD_KINDS)[Kind] extends Family
      ? FilterValue<V, (typeof FIELD_KINDS)[Kind]>
      : never
    : never

/** The filters of a record's own fields. */
type FieldFilters<F> = { [K in keyof F as FilterOf<F[K]> extends never ? never : K]?: FilterOf<F[K]> }

/** The filters a record type takes: by its fields, by those of the records it refers to, and combined. */
export type Filters<F> = FieldFilters<F> & {
  /** At least one of these holds. */
  any?: readonly Filters<F>[]
  /** This does not hold. */
  not?: Filters<F>
} & { [path: `${string}.${string}`]: AnyFilterValue }

/** What a user-defined field may be filtered by, whatever its type is. */
export type AnyFilterValue = FilterValue<string, 'text'> | FilterValue<number, 'number'> | FilterValue<string, 'date'> | FilterValue<boolean, 'boolean'>

export type Stored<R extends { stored: TSchema }> = Static<R['stored']>

function filtersSchema(fields: Fields, name: string, open: boolean): Record<string, unknown> {
  const members = Object.entries(fields).flatMap(([member, f]) => {
    const schema = filterSchema(f)
    return schema && f.access !== 'secret' ? [[member, schema]] : []
  })
  return {
    type: 'object',
    title: `${name}Filters`,
    description:
      'Members are ANDed. A plain value is equality, null finds records without a value, an object holds operators. `any` is a list of Filters of which one must hold, `not` Filters that must not; `Company.Industry` is a field of the record that CompanyID refers to.',
    properties: {
      ...Object.fromEntries(members),
      any: {
        type: 'array',
        items: { type: 'object', minProperties: 1 },
        minItems: 1,
        maxItems: LIMITS.list,
        description: 'Filters of which at least one must hold.',
      },
      not: { type: 'object', minProperties: 1, description: 'Filters that must not hold.' },
    },
    patternProperties: { '^[A-Za-z]\\w*\\.\\w+$': {} },
    // User-defined fields are defined by each workspace, so the contract accepts any name.
    additionalProperties: open ? { anyOf: (Object.keys(FAMILIES) as Family[]).map((family) => memberSchema(family)) } : false,
  }
}

function filterSchema(f: Field): Record<string, unknown> | undefined {
  const family = FIELD_KINDS[f.kind]
  return family && memberSchema(family, f.description)
}

function memberSchema(family: Family, description?: string): Record<string, unknown> {
  const { schema, operators } = FAMILIES[family]
  const orNull = schema.type === 'null' ? schema : { ...schema, type: [schema.type, 'null'] }
  const operand = (operator: Operator) =>
    operator === 'in'
      ? { type: 'array', items: orNull, maxItems: LIMITS.list }
      : operator === 'eq' || operator === 'ne'
        ? orNull
        : operandSchema(family, operator)
  return {
    ...(description && { description }),
    anyOf: [
      orNull,
      {
        type: 'object',
        properties: Object.fromEntries(operators.map((operator) => [operator, operand(operator)])),
        additionalProperties: false,
        minProperties: 1,
      },
    ],
  }
}

/** A field that refers to another record, and the name of that record: CompanyID refers to the Company. */
export interface Referring {
  readonly field: string
  readonly refers: string
  readonly name: string
}

const references = new WeakMap<Fields, readonly Referring[]>()

/** The references of a record type, memoised. */
export function referencesOf({ fields: of }: Pick<RecordType, 'fields'>): readonly Referring[] {
  let known = references.get(of)
  if (!known) {
    const fields = Object.entries(of).filter(([, { refers, access }]) => refers !== undefined && access !== 'secret')
    known = fields.map(([field, { refers }]) => ({ field, refers: refers as string, name: nameBehind(field) }))
    references.set(of, known)
  }
  return known
}

/** What the record behind a reference is called in answers and filters. */
export const nameBehind = (field: string): string => (field.endsWith('ID') ? field.slice(0, -2) : `${field}Record`)

/** `CustomObject` as a person reads it: `Custom object`. */
export function words(name: string): string {
  const spaced = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
