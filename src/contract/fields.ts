import { type TSchema, type TUnsafe, Type } from 'typebox'
import { LARGEST_MONEY, LIMITS } from './limits.ts'

/** How values of a kind compare: it decides the operators a filter may use and how its values are read. */
export const FAMILIES = {
  text: { operators: ['eq', 'ne', 'in', 'contains', 'startsWith'], expected: 'a text', schema: { type: 'string', format: 'text', maxLength: LIMITS.longText } },
  number: { operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'], expected: 'a number', schema: { type: 'number' } },
  date: { operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'], expected: 'a date, YYYY-MM-DD', schema: { type: 'string', format: 'date' } },
  timestamp: {
    operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
    expected: 'a time with a zone, such as 2026-11-15T09:30:00Z',
    schema: { type: 'string', format: 'date-time' },
  },
  boolean: { operators: ['eq', 'ne'], expected: 'true or false', schema: { type: 'boolean' } },
} as const

export type Family = keyof typeof FAMILIES
export type Operator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'startsWith'

/** The kinds of field there are. What a kind is stored as, filtered by and shown as is read from here. */
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
  /** Kept and answered as JSON; not filtered by. */
  json: undefined,
} as const satisfies Record<string, Family | undefined>

export type FieldKind = keyof typeof FIELD_KINDS

/** Who may set a field: `write` the caller at any time, `create` only at birth, `read` the connector alone, `secret` nobody ever sees. */
export type FieldAccess = 'write' | 'create' | 'read' | 'secret'

export interface Field<Value = unknown, Required extends boolean = boolean, Born = unknown> {
  readonly kind: FieldKind
  readonly label: string
  readonly description: string | undefined
  /** A required field always has a value. */
  readonly required: Required
  readonly access: FieldAccess
  /** The schema of a value other than null. */
  readonly schema: TSchema
  /** Fills a draft that leaves the field out, never a patch. */
  readonly atBirth: Born
  /** Values worth offering; others are accepted. */
  readonly suggested: readonly string[] | undefined
  /** The only values accepted. */
  readonly closed: readonly string[] | undefined
  /** The record type an id points to. */
  readonly refers: string | undefined
  /** Only for the compiler: what a value is. */
  readonly value?: Value
}

interface Options<Required extends boolean, Born> {
  readonly label: string
  readonly description?: string
  readonly required?: Required
  readonly access?: FieldAccess
  readonly atBirth?: Born
  readonly max?: number
}

function make<Value, Required extends boolean, Born>(
  kind: FieldKind,
  schema: Record<string, unknown>,
  options: Options<Required, Born>,
  more: Partial<Field<Value, Required, Born>> = {},
): Field<Value, Required, Born> {
  const required = (options.required ?? false) as Required
  // Whoever needs a text needs one that says something.
  const blank = required && schema.type === 'string' && schema.format === 'text' ? { minLength: 1, pattern: '\\S' } : {}
  return {
    kind,
    label: options.label,
    description: options.description,
    required,
    access: options.access ?? 'write',
    schema: Type.Unsafe({ ...schema, ...blank, ...(options.description && { description: options.description }) }),
    atBirth: options.atBirth as Born,
    suggested: undefined,
    closed: undefined,
    refers: undefined,
    ...more,
  }
}

const text = (max: number = LIMITS.text) => ({ type: 'string', format: 'text', maxLength: max })

export const field = {
  text: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B>) => make<string, R, B>('text', text(o.max), o),
  longText: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B>) =>
    make<string, R, B>('longText', text(o.max ?? LIMITS.longText), o),
  email: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B>) =>
    make<string, R, B>('email', { type: 'string', format: 'email', maxLength: LIMITS.text }, o),
  phone: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B>) => make<string, R, B>('phone', text(), o),
  id: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B> & { refers?: string }) =>
    make<string, R, B>('id', { ...text(), minLength: 1 }, o, { refers: o.refers }),
  number: <const R extends boolean = false, const B extends number | undefined = undefined>(o: Options<R, B>) =>
    make<number, R, B>('number', { type: 'number' }, o),
  integer: <const R extends boolean = false, const B extends number | undefined = undefined>(o: Options<R, B>) =>
    make<number, R, B>('integer', { type: 'integer' }, o),
  money: <const R extends boolean = false, const B extends number | undefined = undefined>(o: Options<R, B>) =>
    make<number, R, B>('money', { type: 'number', format: 'money', minimum: -LARGEST_MONEY, maximum: LARGEST_MONEY }, o),
  date: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B>) =>
    make<string, R, B>('date', { type: 'string', format: 'date' }, o),
  timestamp: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B>) =>
    make<string, R, B>('timestamp', { type: 'string', format: 'date-time' }, o),
  boolean: <const R extends boolean = false, const B extends boolean | undefined = undefined>(o: Options<R, B>) =>
    make<boolean, R, B>('boolean', { type: 'boolean' }, o),

  /** A word from a set that is open unless the configuration or the platform closes it. */
  choice: <const R extends boolean = false, const B extends string | undefined = undefined>(o: Options<R, B> & { suggested: readonly string[] }) =>
    make<string, R, B>('choice', { ...text(), minLength: 1, pattern: '\\S', examples: o.suggested }, o, { suggested: o.suggested }),

  /** A word from a set that is closed for good. */
  oneOf: <const V extends string, const R extends boolean = false, const B extends V | undefined = undefined>(values: readonly V[], o: Options<R, B>) =>
    make<V, R, B>('choice', { type: 'string', enum: values }, o, { closed: values }),

  json: <Value, const R extends boolean = false>(schema: TSchema, o: Options<R, undefined>) =>
    make<Value, R, undefined>('json', schema as Record<string, unknown>, o),
}

/** The same schema, with null allowed beside it. */
export function nullable<Value>(schema: TSchema): TUnsafe<Value | null> {
  const { type, enum: values, ...rest } = schema as TSchema & { type?: string; enum?: unknown[] }
  return Type.Unsafe<Value | null>({ ...rest, type: [type, 'null'], ...(values && { enum: [...values, null] }) })
}
