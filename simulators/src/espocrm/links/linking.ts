import type { Access } from '../access.ts'
import { badRequest, failure, forbidden, notFound, translated } from '../errors.ts'
import { shapeOf } from '../scopes/attributes.ts'
import { ID, type Scope } from '../scopes/definition.ts'
import type { Row, Store, Values } from '../store.ts'
import { keysOf, linkedRows, manyLink } from './links.ts'

/** Links whose ids are not checked. */
const UNCHECKED = new Set(['teams', 'createdBy', 'modifiedBy', 'attachments'])

/** Linked records must exist, and the user must be able to read them. */
export function checkLinks(access: Access, scope: Scope, values: Values, before: Values | undefined): void {
  for (const [name, link] of Object.entries(scope.links)) {
    if (UNCHECKED.has(name)) continue
    const id = values[`${name}Id`]
    if (link.type === 'belongsTo' && typeof id === 'string' && id !== before?.[`${name}Id`]) checkLinked(access, scope, name, link.entity ?? '', id)
    const ids = values[`${name}Ids`]
    if (link.type === 'hasMany' && Array.isArray(ids)) for (const one of ids) checkLinked(access, scope, name, link.entity ?? '', String(one))
  }
}

function checkLinked(access: Access, scope: Scope, name: string, entity: string, id: string): void {
  const row = access.store.get(entity, id)
  if (!row) {
    throw forbidden(
      `Can't relate with non-existing record. entity type: ${scope.name}, link: ${name}.`,
      translated('cannotRelateNonExisting', null, { foreignEntityType: entity }),
    )
  }
  if (access.allowsOn(row, 'read')) return
  throw forbidden(
    `No foreign record access for link operation (${scope.name}:${name}).`,
    translated('cannotRelateForbidden', null, { foreignEntityType: entity, action: 'read' }),
  )
}

/** Without assignment permission, a user can assign records to themselves only, and an API user can also leave them unassigned. */
export function checkAssignment(access: Access, scope: Scope, values: Values, before: Values | undefined): void {
  if (!scope.fields.assignedUser) return
  const [given, earlier] = [values.assignedUserId ?? null, before?.assignedUserId ?? null]
  if (before && given === earlier) return
  const permission = access.permission('assignment')
  if (permission === 'all' || permission === 'yes' || given === access.user.id) return
  if (given === null ? access.user.values.type === 'api' || permission === 'team' : permission === 'team' && isTeammate(access, given)) return
  throw forbidden('Assignment failure: assigned user or team not allowed.')
}

function isTeammate({ store, user }: Access, id: unknown): boolean {
  const scope = store.scope('User')
  const teams = new Set(linkedRows(store, scope, 'teams', user.id))
  return typeof id === 'string' && linkedRows(store, scope, 'teams', id).some((team) => teams.has(team))
}

/** Stores the links to many of a record, and returns the values that remain. */
export function saveLinks(store: Store, scope: Scope, id: string, values: Values): Values {
  const left: Values = { ...values }
  const { primary } = scope
  if (primary) {
    const many = left[`${primary.many}Ids`]
    if (Array.isArray(many) && many.length > 0 && left[`${primary.one}Id`] == null) left[`${primary.one}Id`] = many[0]
  }
  for (const { name, field, kind } of shapeOf(scope).attributes.values()) {
    if ((kind !== 'manyIds' && kind !== 'echo') || !Array.isArray(left[name])) continue
    relate(store, scope, field, id, left[name].map(String), Object(left[`${field}Columns`]) as Values)
    if (kind === 'manyIds') delete left[name]
  }
  for (const { name, kind } of shapeOf(scope).attributes.values()) if (kind === 'manyColumns') delete left[name]
  const one = primary && left[`${primary.one}Id`]
  const link = primary && manyLink(store, scope, primary.many)
  const roles = [...shapeOf(scope).attributes.values()].filter(({ kind, name }) => kind === 'role' && name in left)
  if (typeof one === 'string' && link?.kind === 'related')
    store.relations.link(link.ends, id, one, Object.fromEntries(roles.map(({ name }) => ['role', left[name]])))
  // A role in no record is lost.
  for (const { name } of roles) delete left[name]
  return left
}

function relate(store: Store, scope: Scope, field: string, id: string, wanted: readonly string[], columns: Values): void {
  const link = manyLink(store, scope, field)
  if (link?.kind !== 'related') return
  for (const far of [...store.relations.linked(link.ends, id).keys()]) if (!wanted.includes(far)) store.relations.unlink(link.ends, id, far)
  for (const far of wanted) store.relations.link(link.ends, id, far, Object(columns[far]) as Values)
}

function idsIn({ id, ids }: Values): string[] {
  const all = Array.isArray(ids) ? ids : [id]
  if (all.length === 0 || !all.every((one): one is string => typeof one === 'string' && one !== '')) throw badRequest()
  return all
}

/** Links or unlinks records. Idempotent. */
export function changeLinks(access: Access, scope: Scope, id: string, name: string, data: Values, isLinked: boolean): true {
  const { store } = access
  if (!access.allows(scope.name, 'read')) throw forbidden()
  const ids = idsIn(data)
  const near = store.get(scope.name, id)
  if (!near) throw notFound()
  if (!access.allowsOn(near, 'edit')) {
    throw forbidden(`No record access for link operation (${scope.name}:${name}).`, translated('noAccessToRecord', null, { action: 'edit' }))
  }
  if (access.hidden(scope, 'edit').has(`${name}Ids`)) throw forbidden()
  const link = manyLink(store, scope, name)
  if (!link) {
    if (Object.hasOwn(scope.links, name)) throw forbidden('Only manyMany, hasMany & hasChildren relations are allowed.')
    throw failure()
  }
  const rows = ids.map((one) => (ID.test(one) ? store.get(link.entity, one) : undefined))
  for (const far of rows) {
    if (!far) throw notFound()
    if (!access.allowsOn(far, 'edit')) {
      throw forbidden(`No foreign record access for link operation (${scope.name}:${name}).`, translated('noAccessToForeignRecord', null, { action: 'edit' }))
    }
  }
  for (const far of rows as Row[]) {
    if (link.kind === 'related') {
      if (isLinked) store.relations.link(link.ends, id, far.id)
      else store.relations.unlink(link.ends, id, far.id)
    } else if (isLinked || far.values[`${link.foreign}Id`] === id) setLink(store, far, link.foreign, isLinked ? id : null)
  }
  return true
}

/** Links everything with one record that is linked with another, without a trace in the linked records. */
export function takeOverLinks(store: Store, scope: Scope, from: string, to: string): void {
  for (const [name, { notMergeable }] of Object.entries(scope.links)) {
    const link = notMergeable ? undefined : manyLink(store, scope, name)
    if (link?.kind === 'back') for (const far of linkedRows(store, scope, name, from)) setLink(store, far, link.foreign, to)
    if (link?.kind === 'related') for (const [far, columns] of [...store.relations.linked(link.ends, from)]) store.relations.link(link.ends, to, far, columns)
  }
}

function setLink(store: Store, row: Row, link: string, id: string | null): void {
  const values = Object.assign(Object.create(null), row.values, { [`${link}Id`]: id })
  store.change(row, values, keysOf(store.scope(row.scope), values))
}
