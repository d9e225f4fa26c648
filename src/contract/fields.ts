import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import { LARGEST_MONEY, LIMITS } from './limits.ts'

function text(max: number = LIMITS.text) {
  return { type: 'string', format: 'text', maxLength: max } as const
}

/** How values of a kind are compared: decides the operators of its filters and how their values are parsed. */
export const FAMILIES = {
  text: { operators: ['eq', 'ne', 'in', 'contains', 'startsWith'], expected: 'a text', schema: text(LIMITS.longText) },
  number: { operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'], expected: 'a number', schema: { type: 'number' } },
  date: { operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'], expected: 'a date, YYYY-MM-DD', schema: { type: 'string', format: 'date' } },
  timestamp: {
    operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
    expected: 'a time with a zone, such as 2026-11-15T09:30:00Z',
    schema: { type: 'string', format: 'date-time' },
  },
  boolean: { operators: ['eq', 'ne'], expected: 'true or false', schema: { type: 'boolean' } },
  /** `contains` finds lists that have a value; a list as a whole is compared with null only. */
  list: { operators: ['contains', 'eq', 'ne'], expected: 'null', schema: { type: 'null' } },
} as const

export type Family = keyof typeof FAMILIES
export type Operator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'startsWith'

const SEARCH_TEXT = text(LIMITS.searchText)

/** The schema of the value that an operator compares with. */
export function operandSchema(family: Family, operator: Operator) {
  return operator === 'contains' || operator === 'startsWith' ? SEARCH_TEXT : FAMILIES[family].schema
}

/** The kinds of fields with their families. Storage, filters and forms depend on the kind. */
export const FIELD_KINDS = {
  text: 'text',
  longText: 'text',
  email: 'text',
  phone: 'text',
  choice: 'text',
  id: 'text',
  number: 'number',
  integer: 'number',
  money: 'number',
  date: 'date',
  timestamp: 'timestamp',
  boolean: 'boolean',
  choices: 'list',
  /** Stored and answered as JSON; cannot be filtered by. */
  json: undefined,
} as const satisfies Record<string, Family | undefined>

export type FieldKind = keyof typeof FIELD_KINDS

/** Who may set a field: `write` the caller at any time, `create` the caller on creation only, `read` the connector, `secret` the connector, and no answer shows it. */
export type FieldAccess = 'write' | 'create' | 'read' | 'secret'

export interface Field<
  Value = unknown,
  Required extends boolean = boolean,
  Default = unknown,
  Kind extends FieldKind = FieldKind,
  Access extends FieldAccess = FieldAccess,
> {
  readonly kind: Kind
  readonly label: string
  readonly description: string | undefined
  /** A required field always has a value. */
  readonly required: Required
  readonly access: Access
  /** The schema of a value other than null. */
  readonly schema: TSchema
  /** The default on creation. */
  readonly defaultValue: Default
  /** Values to offer; others are accepted. */
  readonly suggested: readonly string[] | undefined
  /** The only values accepted. */
  readonly closed: readonly string[] | undefined
  /** The record type an id points to. */
  readonly refers: string | undefined
  /** Whether no two records of the type may have the same value. */
  readonly unique?: boolean
  /** Whether the store holds it encrypted; such a text is `secret`. */
  readonly sealed?: boolean
  /** Whether the account or the workspace has it, and not the contract. */
  readonly extra?: boolean
  /** Whether the workspace has defined it. */
  readonly own?: boolean
  /** Whether the platform requires a value on writes, although existing records may have none. */
  readonly insisted?: boolean
  /** The platform that has no such field. */
  readonly absent?: string
  /** How an admin of that platform makes a place for it. */
  readonly remedy?: string
  /** The type of a value; exists for the compiler only. */
  readonly value?: Value
}

interface Options<Required extends boolean, Default, Access extends FieldAccess> {
  readonly label: string
  readonly description?: string
  readonly required?: Required
  readonly access?: Access
  readonly defaultValue?: Default
  readonly max?: number
  readonly unique?: boolean
  readonly sealed?: boolean
}

function make<Value, Required extends boolean, Default, Kind extends FieldKind, Access extends FieldAccess>(
  kind: Kind,
  schema: Record<string, unknown>,
  options: Options<Required, Default, Access>,
  more: Partial<Field<Value, Required, Default, Kind, Access>> = {},
): Field<Value, Required, Default, Kind, Access> {
  const required = (options.required ?? false) as Required
  // A required text may not be blank, nor one that no other record has.
  const blank = (required || options.unique) && schema.type === 'string' && schema.format === 'text' ? { minLength: 1, pattern: '\\S' } : {}
  return {
    kind,
    label: options.label,
    description: options.description,
    required,
    access: options.access ?? ('write' as Access),
    schema: Type.Unsafe({ ...schema, ...blank, ...(options.description && { description: options.description }) }),
    defaultValue: options.defaultValue as Default,
    suggested: undefined,
    closed: undefined,
    refers: undefined,
    ...(options.unique && { unique: true }),
    ...(options.sealed && { sealed: true }),
    ...more,
  }
}

/** Declares fields of a kind. `NoInfer` keeps the defaults of omitted options, whatever type the context expects. */
function ofKind<Value, Kind extends FieldKind, More = unknown>(
  kind: Kind,
  schema: (options: { readonly max?: number } & More) => Record<string, unknown>,
  more?: (options: More) => { readonly refers?: string | undefined; readonly suggested?: readonly string[] },
) {
  return <const R extends boolean = false, const B extends Value | undefined = undefined, const A extends FieldAccess = 'write'>(
    options: Options<R, B, A> & More,
  ): Field<Value, NoInfer<R>, NoInfer<B>, Kind, NoInfer<A>> => make(kind, schema(options), options, more?.(options))
}

export const field = {
  text: ofKind<string, 'text'>('text', ({ max }) => text(max)),
  longText: ofKind<string, 'longText'>('longText', ({ max = LIMITS.longText }) => text(max)),
  email: ofKind<string, 'email'>('email', () => ({ type: 'string', format: 'email', maxLength: LIMITS.text })),
  phone: ofKind<string, 'phone'>('phone', () => text()),
  id: ofKind<string, 'id', { readonly refers?: string }>(
    'id',
    () => ({ ...text(), minLength: 1 }),
    ({ refers }) => ({ refers }),
  ),
  number: ofKind<number, 'number'>('number', () => ({ type: 'number' })),
  integer: ofKind<number, 'integer', { readonly minimum?: number; readonly maximum?: number }>('integer', ({ minimum, maximum }) => ({
    type: 'integer',
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  })),
  money: ofKind<number, 'money'>('money', () => ({ type: 'number', format: 'money', minimum: -LARGEST_MONEY, maximum: LARGEST_MONEY })),
  date: ofKind<string, 'date'>('date', () => ({ type: 'string', format: 'date' })),
  timestamp: ofKind<string, 'timestamp'>('timestamp', () => ({ type: 'string', format: 'date-time' })),
  boolean: ofKind<boolean, 'boolean'>('boolean', () => ({ type: 'boolean' })),

  /** A value from a set that is open unless the configuration or the platform closes it. */
  choice: ofKind<string, 'choice', { readonly suggested: readonly string[] }>(
    'choice',
    ({ suggested }) => ({ ...text(), minLength: 1, pattern: '\\S', examples: suggested }),
    ({ suggested }) => ({ suggested }),
  ),

  /** Several values, each at most once. */
  choices: ofKind<readonly string[], 'choices', { readonly suggested: readonly string[] }>(
    'choices',
    () => ({ type: 'array', items: { ...text(), minLength: 1 }, uniqueItems: true, maxItems: LIMITS.list }),
    ({ suggested }) => ({ suggested }),
  ),

  /** A value from a closed set. */
  oneOf: <const V extends string, const R extends boolean = false, const B extends V | undefined = undefined, const A extends FieldAccess = 'write'>(
    values: readonly V[],
    options: Options<R, B, A>,
  ): Field<V, NoInfer<R>, NoInfer<B>, 'choice', NoInfer<A>> => make('choice', { type: 'string', enum: values }, options, { closed: values }),

  json: <const S extends TSchema, const R extends boolean = false, const A extends FieldAccess = 'write'>(
    schema: S,
    options: Options<R, undefined, A>,
  ): Field<Static<S>, NoInfer<R>, undefined, 'json', NoInfer<A>> => make('json', schema as Record<string, unknown>, options),
}

/** The schema with null allowed too. */
export function nullable<Value>(schema: TSchema): TUnsafe<Value | null> {
  const { type, enum: values, ...rest } = schema as TSchema & { type?: string | string[]; enum?: unknown[] }
  return Type.Unsafe<Value | null>({ ...rest, type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }) })
}
