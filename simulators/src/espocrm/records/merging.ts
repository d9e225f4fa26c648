import { isObject } from '../../json.ts'
import type { Access } from '../access.ts'
import { badRequest, forbidden, notFound } from '../errors.ts'
import { takeOverLinks } from '../links/linking.ts'
import { keysOf } from '../links/links.ts'
import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import type { Row, Values } from '../store.ts'
import { readRecord, remove, updateRecord } from './records.ts'
import type { ContactEntry } from './values.ts'

/** `POST Action`, of which only `merge` is simulated. */
export function runAction(access: Access, { entityType, action, id, data = {} }: Values): Values {
  if (typeof entityType !== 'string' || typeof action !== 'string' || typeof id !== 'string' || !entityType || !action || !id) throw badRequest()
  const scope = access.store.scopes.get(entityType)
  if (!scope || action !== 'merge') throw notFound(`Action '${action}' not found.`)
  merge(access, scope, id, isObject(data) ? data : {})
  return readRecord(access, scope, id)
}

/**
 * Moves posts, links, addresses and telephone numbers of the sources to a record, deletes the sources and writes the attributes. What was linked with a
 * source keeps its modified date.
 */
function merge(access: Access, scope: Scope, id: string, { sourceIdList, attributes }: Values): void {
  const { store } = access
  if (!access.allows(scope.name, 'edit')) throw forbidden()
  if (!Array.isArray(sourceIdList)) throw badRequest("No 'sourceIdList'.")
  if (!isObject(attributes)) throw badRequest("No 'attributes'.")
  const target = store.get(scope.name, id)
  if (!target) throw notFound('Record not found.')
  if (!access.allowsOn(target, 'edit')) throw forbidden('No edit access.')
  const sources = sourceIdList.map((one) => sourceOf(access, scope, one))
  const reached = Object.fromEntries(shapeOf(scope).reach.map(([name]) => [`${name}Data`, entriesOf([target, ...sources], name, attributes[name])]))
  for (const source of sources) {
    movePosts(access, source, target)
    takeOverLinks(store, scope, source.id, target.id)
  }
  for (const source of sources) remove(access, source)
  updateRecord(access, scope, id, { ...attributes, ...reached })
}

function sourceOf(access: Access, scope: Scope, id: unknown): Row {
  const row = access.store.get(scope.name, id)
  if (!row) throw notFound('Source record not found.')
  if ((['read', 'edit', 'delete'] as const).every((action) => access.allowsOn(row, action))) return row
  throw forbidden('No read, edit or delete access for one of source entities.')
}

/** The addresses or numbers of all, each once. The given one is primary, or else the first. */
function entriesOf(rows: readonly Row[], name: string, given: unknown): ContactEntry[] {
  const all = rows.flatMap(({ values }) => (values[`${name}Data`] as ContactEntry[] | undefined) ?? [])
  const once = [...new Map(all.map((one) => [one[name], one])).values()]
  return once.map((one, index) => ({ ...one, primary: given ? one[name] === given : index === 0 }))
}

const MOVED = new Set(['Post', 'EmailSent', 'EmailReceived'])

function movePosts({ store }: Access, from: Row, to: Row): void {
  const scope = store.scope('Note')
  for (const note of [...store.found('Note', `parent:${from.scope}:${from.id}`)]) {
    if (note.deleted || !MOVED.has(String(note.values.type))) continue
    const values: Values = Object.assign(Object.create(null), note.values, { parentId: to.id })
    store.change(note, values, keysOf(scope, values))
  }
}
