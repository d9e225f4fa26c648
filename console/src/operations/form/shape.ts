import { type Family, LIMITS } from 'crm-connector/contract'

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
}

/** The control for a schema. */
export type Shape = ValueShape | ListShape | ObjectShape | FiltersShape | AnyShape

export interface ValueShape {
  readonly kind: 'value'
  /** A type of `ValueInput`. */
  readonly type: string
  readonly nullable: boolean
  readonly allowed?: readonly string[]
  readonly suggested?: readonly string[]
}

/** Text, number, boolean or null. */
export interface AnyShape {
  readonly kind: 'any'
}

export interface ListShape {
  readonly kind: 'list'
  readonly item: Shape
}

export interface ObjectShape {
  readonly kind: 'object'
  readonly members: readonly Member[]
  /** The shape of members with names of the user's own; undefined where they are not allowed. */
  readonly open?: Shape
  /** Suggested names for them. */
  readonly offered?: readonly string[]
}

export interface FilterField {
  readonly name: string
  readonly family: Family
  readonly about: string
  readonly suggested?: readonly string[]
}

export interface FiltersShape {
  readonly kind: 'filters'
  readonly fields: readonly FilterField[]
  /** Whether fields beyond these are allowed: those defined in the workspace. */
  readonly open: boolean
}

export interface Member {
  readonly name: string
  readonly required: boolean
  readonly about: string
  readonly shape: Shape
}

export function shapeOf(schema: Schema): Shape {
  const types = typesOf(schema)
  if (schema.title?.endsWith('Filters')) return filtersOf(schema)
  if (types.includes('object')) return objectOf(schema)
  if (types.includes('array')) return { kind: 'list', item: shapeOf(schema.items ?? {}) }
  const plain = types.filter((type) => type !== 'null')
  if (plain.length !== 1) return { kind: 'any' }
  return {
    kind: 'value',
    type: valueType(plain[0] as string, schema),
    nullable: types.includes('null'),
    ...(schema.enum && { allowed: schema.enum.filter((value): value is string => typeof value === 'string') }),
    ...(schema.examples && { suggested: schema.examples.map(String) }),
  }
}

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : typeof type === 'string' ? [type] : type)

const FORMATS: { readonly [format: string]: string } = { date: 'date', 'date-time': 'timestamp', email: 'email', money: 'money' }

function valueType(type: string, { format = '', maxLength = 0 }: Schema): string {
  if (type !== 'string') return FORMATS[format] ?? type
  return FORMATS[format] ?? (maxLength === LIMITS.longText ? 'longText' : 'text')
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): ObjectShape {
  const members = Object.entries(properties).map(([name, schema]): Member => {
    return { name, required: required.includes(name), about: aboutOf(schema), shape: shapeOf(schema) }
  })
  const open =
    additionalProperties === true || additionalProperties === undefined ? ({ kind: 'any' } as const) : additionalProperties && shapeOf(additionalProperties)
  return { kind: 'object', members, ...(open && { open }) }
}

function filtersOf({ properties = {}, additionalProperties }: Schema): FiltersShape {
  const fields = Object.entries(properties).map(([name, schema]): FilterField => {
    return { name, family: familyOf(schema.anyOf?.[0] ?? {}), about: schema.description ?? '' }
  })
  return { kind: 'filters', fields, open: additionalProperties !== false }
}

function familyOf(schema: Schema): Family {
  const [type = 'string'] = typesOf(schema)
  if (type === 'number' || type === 'boolean') return type
  return schema.format === 'date' ? 'date' : schema.format === 'date-time' ? 'timestamp' : 'text'
}

const NAMES: { readonly [type: string]: string } = { string: 'text', object: 'object', array: 'list', boolean: 'true or false', integer: 'whole number' }

/** The description, type and limits in words. */
function aboutOf(schema: Schema): string {
  const [type = ''] = typesOf(schema).filter((one) => one !== 'null')
  const { description = '', maxLength, minimum, maximum, maxItems, format } = schema
  const limits = [
    maxLength !== undefined && `at most ${maxLength.toLocaleString('en')} characters`,
    format !== 'money' && minimum !== undefined && (maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`),
    maxItems !== undefined && `at most ${maxItems.toLocaleString('en')}`,
  ].filter((limit) => limit !== false)
  const named = format === 'date' ? 'date' : format === 'date-time' ? 'timestamp' : format === 'email' ? 'e-mail' : (NAMES[type] ?? type)
  // The control itself shows these types.
  const isPlain = type === 'object' || type === 'boolean' || schema.enum !== undefined || (named === 'text' && limits.length === 0)
  const kind = isPlain ? '' : [named, ...limits].filter(Boolean).join(', ')
  return [description, kind && `${kind.charAt(0).toUpperCase()}${kind.slice(1)}.`].filter(Boolean).join(' ')
}
