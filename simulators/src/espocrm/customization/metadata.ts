import { isObject } from '../../json.ts'
import type { Access } from '../access.ts'
import type { Field, Scope } from '../scopes/definition.ts'
import type { Store } from '../store.ts'
import { labelOf } from './customization.ts'

/** Members of a field that EspoCRM does not have. */
const PRIVATE = new Set(['storedDefault', 'noName', 'role'])

const publicField = (field: Field) => Object.fromEntries(Object.entries(field).filter(([name]) => !PRIVATE.has(name)))

function definitionOf({ fields, links, collection }: Scope) {
  return { fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, publicField(field)])), links, collection }
}

/** The metadata, or the part under a key such as `entityDefs.Lead.fields`. Scopes that the user cannot read are left out. */
export function metadata(access: Access, key: string | null): unknown {
  const seen = [...access.store.scopes.values()].filter(({ name }) => access.allows(name, 'read'))
  const all = {
    entityDefs: Object.fromEntries(seen.map((scope) => [scope.name, definitionOf(scope)])),
    scopes: Object.fromEntries(seen.map(({ name, scope }) => [name, scope])),
  }
  if (key === null || key === '') return all
  let part: unknown = all
  for (const name of key.split('.')) part = isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined
  return part
}

/** The labels of scopes, fields and options. */
export function language(store: Store) {
  const scopes = [...store.scopes.values()]
  return {
    Global: {
      scopeNames: Object.fromEntries(scopes.map(({ name, labels }) => [name, labels.singular])),
      scopeNamesPlural: Object.fromEntries(scopes.map(({ name, labels }) => [name, labels.plural])),
    },
    ...Object.fromEntries(
      scopes.map(({ name, fields }) => [
        name,
        { fields: Object.fromEntries(Object.keys(fields).map((field) => [field, labelOf(store, name, field)])), options: optionsIn(fields) },
      ]),
    ),
  }
}

function optionsIn(fields: Scope['fields']) {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { options }]) => (options ? [[name, Object.fromEntries(options.map((option) => [option, option]))]] : [])),
  )
}
