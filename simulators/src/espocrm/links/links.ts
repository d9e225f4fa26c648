import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import type { Row, Store } from '../store.ts'
import type { RelationEnds } from './relations.ts'

/** How a link to many is stored: as a relation, or by the inverse link of each linked record. */
export type ManyLink =
  | { readonly kind: 'related'; readonly entity: string; readonly ends: RelationEnds }
  | { readonly kind: 'back'; readonly entity: string; readonly foreign: string }

export function manyLink(store: Store, scope: Scope, name: string): ManyLink | undefined {
  const link = Object.hasOwn(scope.links, name) ? scope.links[name] : undefined
  if (!link?.entity || (link.type !== 'hasMany' && link.type !== 'hasChildren')) return undefined
  const { entity, foreign } = link
  const there = foreign === undefined ? undefined : store.scopes.get(entity)?.links[foreign]
  if (foreign !== undefined && there?.type === 'belongsTo') return { kind: 'back', entity, foreign }
  const near = `${scope.name}.${name}`
  return { kind: 'related', entity, ends: { near, far: `${entity}.${foreign ?? near}` } }
}

/** The linked records that are not deleted. */
export function linkedRows(store: Store, scope: Scope, name: string, id: string): Row[] {
  const link = manyLink(store, scope, name)
  if (!link) return []
  const rows =
    link.kind === 'back'
      ? [...store.found(link.entity, `${link.foreign}:${id}`)]
      : [...store.relations.linked(link.ends, id).keys()].map((far) => store.get(link.entity, far))
  return rows.filter((row): row is Row => row !== undefined && !row.deleted)
}

/** The index keys of a record. */
export function keysOf(scope: Scope, values: { readonly [attribute: string]: unknown }): string[] {
  const keys: string[] = []
  for (const [name, { type }] of shapeOf(scope).linked) {
    const id = values[`${name}Id`]
    if (typeof id !== 'string') continue
    if (type === 'link') keys.push(`${name}:${id}`)
    if (type === 'linkParent') keys.push(`${name}:${values[`${name}Type`]}:${id}`)
  }
  if (scope.name === 'User') keys.push(`userName:${values.userName}`)
  if (scope.name === 'Webhook') keys.push(`event:${values.event}`)
  return [...keys, ...duplicateKeys(scope, values)]
}

/** Records that share one of these keys are duplicates. */
export function duplicateKeys(scope: Scope, values: { readonly [attribute: string]: unknown }): string[] {
  return (scope.duplicateCheckFieldList ?? []).flatMap((name) => {
    const field = scope.fields[name]
    if (field?.type === 'personName') {
      const { firstName, lastName } = values
      return firstName || lastName ? [`same ${name}:${JSON.stringify([firstName ?? null, lastName ?? null])}`] : []
    }
    if (field?.type === 'email') return addresses(values[`${name}Data`]).map((address) => `same ${name}:${address}`)
    return values[name] ? [`same ${name}:${values[name]}`] : []
  })
}

function addresses(data: unknown): string[] {
  return Array.isArray(data) ? data.map(({ lower }: { lower: string }) => lower) : []
}
