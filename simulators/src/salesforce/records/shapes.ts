import type { Field } from '../objects/fields.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import type { Session } from './records.ts'
import type { Row } from './table.ts'

/** The selected fields of a record and, by relationship name, of related records. */
export type Shape = Map<string, Shown>

export type Shown =
  | { readonly kind: 'field' }
  | { readonly kind: 'parent'; readonly reference: Field; readonly shape: Shape; follow(row: Row): { readonly object: SObject; readonly row: Row } | undefined }
  | { readonly kind: 'made'; show(row: Row): unknown }

const pathOf = ({ version }: Session, object: SObject, { Id }: Row) => `/services/data/${version}/sobjects/${object.name}/${Id}`

/** A record as JSON. */
export function shown(org: Org, session: Session, object: SObject, row: Row, shape: Shape, type = object.name): { [name: string]: unknown } {
  const answer: { [name: string]: unknown } = { attributes: { type, url: pathOf(session, object, row) } }
  for (const [name, part] of shape) {
    if (part.kind === 'made') answer[name] = part.show(row)
    else if (part.kind === 'parent') {
      const found = part.follow(row)
      const called = part.reference.referenceTo.length > 1 ? 'Name' : undefined
      answer[name] = found ? shown(org, session, found.object, found.row, part.shape, called) : null
    } else answer[name] = valueShown(session, object, row, org.schema.field(object, name))
  }
  return answer
}

function valueShown(session: Session, object: SObject, row: Row, field: Field | undefined): unknown {
  if (!field) return null
  const value = row[field.name] ?? null
  switch (field.type) {
    case 'boolean':
      return value ?? false
    case 'address':
      return addressOf(object, row, field)
    case 'base64':
      return value === null ? null : `${pathOf(session, object, row)}/${field.name}`
    case 'complexvalue':
      return typeof value === 'string' ? JSON.parse(value) : null
    default:
      return value
  }
}

const PARTS = ['city', 'country', 'geocodeAccuracy', 'latitude', 'longitude', 'postalCode', 'state', 'street']

function addressOf(object: SObject, row: Row, field: Field): unknown {
  const prefix = field.name.replace(/Address$/, '')
  const parts = PARTS.map((part) => [part, row[`${prefix}${part.charAt(0).toUpperCase()}${part.slice(1)}`] ?? null] as const)
  const known = [...object.fields.values()].some(({ compound, name }) => compound === field.name && row[name] != null)
  return known ? Object.fromEntries(parts) : null
}

/** All visible fields. */
export const wholeShape = (org: Org, object: SObject): Shape => new Map(org.schema.fields(object).map(({ name }) => [name, { kind: 'field' }]))
