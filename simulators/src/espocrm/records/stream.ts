import type { Access } from '../access.ts'
import { forbidden, notFound } from '../errors.ts'
import { keysOf } from '../links/links.ts'
import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import { page, type SearchParams } from '../search/search.ts'
import { whereTest } from '../search/where.ts'
import type { Row, Store, Values } from '../store.ts'
import { asRead } from './presentation.ts'
import { nameOf } from './values.ts'

/** Adds entries about a write to the stream of a record, and lets its assigned user follow it. */
export function writeStream(access: Access, row: Row, before: Values | undefined): void {
  const { store } = access
  const scope = store.scope(row.scope)
  if (!scope.stream) return
  const { assignedUserId } = row.values
  const assigned = assignedUserId !== (before?.assignedUserId ?? undefined) && (assignedUserId ?? null) !== (before?.assignedUserId ?? null)
  if (assigned && typeof assignedUserId === 'string') row.followers.add(assignedUserId)
  if (!before) {
    write(access, row, 'Create', { ...(assigned && assignment(store, row.values)), ...statusOf(scope, row.values) })
    return
  }
  if (assigned) write(access, row, 'Assign', assignment(store, row.values))
  const { statusField } = scope
  if (statusField !== undefined && row.values[statusField] !== before[statusField]) {
    const value = row.values[statusField]
    write(access, row, 'Status', { field: statusField, value, style: styleOf(scope, value) })
  }
  const changed = auditedChanges(scope, row.values, before)
  if (changed.fields.length > 0) write(access, row, 'Update', changed)
}

const assignment = (store: Store, { assignedUserId }: Values) => ({
  assignedUserId: assignedUserId ?? null,
  assignedUserName: nameOf(store, 'User', assignedUserId),
})

function statusOf(scope: Scope, values: Values): Values {
  const { statusField } = scope
  if (statusField === undefined) return {}
  return { statusField, statusValue: values[statusField] ?? null, statusStyle: styleOf(scope, values[statusField]) }
}

function styleOf({ fields, statusField = '' }: Scope, value: unknown): string {
  return fields[statusField]?.style?.[String(value)] ?? 'default'
}

function auditedChanges(scope: Scope, values: Values, before: Values) {
  const fields: string[] = []
  const was: Values = {}
  const became: Values = {}
  for (const { name, field } of shapeOf(scope).attributes.values()) {
    if (!scope.fields[field]?.audited || field === scope.statusField || !(name in values || name in before)) continue
    if (JSON.stringify(values[name] ?? null) === JSON.stringify(before[name] ?? null)) continue
    if (!fields.includes(field)) fields.push(field)
    was[name] = before[name] ?? null
    became[name] = values[name] ?? null
  }
  return { fields, attributes: { was, became } }
}

function write({ store, user }: Access, parent: Row, type: string, data: object): void {
  const at = store.stamp()
  const values: Values = Object.assign(Object.create(null), {
    type,
    data,
    number: ++store.table('Note').serial,
    isInternal: false,
    createdAt: at,
    modifiedAt: at,
    parentId: parent.id,
    parentType: parent.scope,
    createdById: user.id,
  })
  store.add('Note', store.nextId(), values, keysOf(store.scope('Note'), values))
}

/** Attributes of a note that entries in a stream do not have. */
const APART = new Set(['parentName', 'relatedName'])

function asStreamEntry(access: Access, row: Row): Values {
  const isPost = row.values.type === 'Post'
  return Object.fromEntries(Object.entries(asRead(access, row)).filter(([name]) => !APART.has(name) && (isPost || !name.startsWith('attachments'))))
}

const FILTERS: { readonly [filter: string]: readonly string[] } = {
  posts: ['Post'],
  updates: ['Update', 'Status'],
  statusUpdates: ['Status'],
}

/** The stream of a record, newest first. */
export function streamOf(access: Access, scope: Scope, id: string, params: SearchParams, filter: string | null) {
  const { store } = access
  const parent = store.get(scope.name, id)
  if (!parent) throw notFound('Record not found.')
  if (!access.allowsOn(parent, 'stream')) throw forbidden('No stream access.')
  const types = filter ? FILTERS[filter] : undefined
  const fits = whereTest(access, store.scope('Note'), params.where)
  const notes = [...store.found('Note', `parent:${scope.name}:${id}`)]
    .flatMap((row) => store.shown(row) ?? [])
    .filter((row) => !row.deleted && (!types || types.includes(String(row.values.type))) && fits(row))
  notes.reverse()
  const { total, rows } = page(notes, params)
  return { total, list: rows.map((row) => asStreamEntry(access, row)) }
}
