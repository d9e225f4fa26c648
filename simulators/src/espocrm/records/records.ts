import type { Access } from '../access.ts'
import { badRequest, conflict, forbidden, notFound } from '../errors.ts'
import { checkAssignment, checkLinks, saveLinks } from '../links/linking.ts'
import { duplicateKeys, keysOf } from '../links/links.ts'
import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import { type ListOptions, type SearchParams, search, selection, visible } from '../search/search.ts'
import type { Row, Values } from '../store.ts'
import { announceCreate, announceDelete, announceUpdate } from '../webhooks/events.ts'
import { completeWebhook } from '../webhooks/subscription.ts'
import { syncContactData } from './contact-data.ts'
import { BEFORE_SAVE } from './hooks.ts'
import { readInput } from './input.ts'
import { checkNote, NEW_NOTE } from './notes.ts'
import { asCreated, asListed, asRead, asSelected, asUpdated } from './presentation.ts'
import { toStored } from './stored.ts'
import { writeStream } from './stream.ts'
import { completeUser, saveCredentials } from './users.ts'
import { validate } from './validation.ts'

const DUPLICATES = 20

export function createRecord(access: Access, scope: Scope, data: Values, skipDuplicateCheck: boolean): Values {
  const { store, user } = access
  if (!access.allows(scope.name, 'create')) throw forbidden('No create access.')
  const given = readInput(access, scope, data, true)
  const values: Values = Object.assign(Object.create(null), given)
  setDefaults(scope, values)
  if (scope.name === 'User') completeUser(store, values)
  if (scope.name === 'Note') Object.assign(values, { ...NEW_NOTE, ...values })
  syncContactData(scope, values, given)
  validate(store, scope, values, given, true)
  if (scope.name === 'Note') checkNote(access, values)
  if (scope.name === 'Webhook') completeWebhook(access, values)
  checkAssignment(access, scope, values, undefined)
  checkLinks(access, scope, values, undefined)
  if (!skipDuplicateCheck) checkDuplicates(access, scope, values)
  const at = store.stamp()
  BEFORE_SAVE[scope.name]?.(scope, values, undefined, at)
  Object.assign(values, { createdAt: at, modifiedAt: at, ...(scope.fields.createdBy && { createdById: user.id }) })
  for (const [name] of shapeOf(scope).serials) values[name] = ++store.table(scope.name).serial
  const id = store.nextId()
  const secret = scope.name === 'User' ? saveCredentials(store, id, values) : {}
  const row = add(access, scope, id, values)
  writeStream(access, row, undefined)
  const answer = { ...asCreated(access, row), ...secret }
  // Echoed attributes are answered once and not stored.
  for (const { name, kind } of shapeOf(scope).attributes.values()) if (kind === 'echo') delete row.values[name]
  toStored(scope, row.values)
  announceCreate(access, row, answer)
  return answer
}

function add({ store }: Access, scope: Scope, id: string, values: Values): Row {
  const stored: Values = Object.assign(Object.create(null), saveLinks(store, scope, id, values))
  const row = store.add(scope.name, id, stored, keysOf(scope, stored))
  if (scope.name === 'User' && typeof values.apiKey === 'string') store.apiKeys.set(values.apiKey, row)
  return row
}

function setDefaults(scope: Scope, values: Values): void {
  for (const [name, field] of shapeOf(scope).fields) {
    const { type, notStorable, readOnly } = field
    // An amount of 0 gets no currency.
    if (type === 'currency' && values[name] && !(`${name}Currency` in values)) values[`${name}Currency`] = 'USD'
    if (name in values || notStorable || 'storedDefault' in field) continue
    if (field.default !== undefined && field.default !== null) values[name] = field.default
    else if (type === 'bool' && !readOnly) values[name] = false
  }
}

function checkDuplicates(access: Access, scope: Scope, values: Values): void {
  const { store } = access
  const found = new Set<Row>()
  for (const key of duplicateKeys(scope, values)) {
    for (const row of store.found(scope.name, key)) {
      if (found.size === DUPLICATES) break
      if (!row.deleted) found.add(row)
    }
  }
  if (found.size === 0) return
  throw conflict(
    'duplicate',
    [...found].map((row) => asListed(access, row)),
  )
}

export function readRecord(access: Access, scope: Scope, id: string): Values {
  if (!access.allows(scope.name, 'read')) throw forbidden('No read access.')
  // Administrators are shown deleted records, too.
  const row = access.isAdmin ? access.store.table(scope.name).rows.get(id) : access.store.get(scope.name, id)
  if (!row) throw notFound(`Record ${id} does not exist.`)
  if (!access.allowsOn(row, 'read')) throw forbidden("No 'read' access.")
  return asRead(access, row)
}

export function updateRecord(access: Access, scope: Scope, id: string, data: Values): Values {
  const { store, user } = access
  const row = writable(access, scope, id, 'edit')
  const given = readInput(access, scope, data, false)
  const before = row.values
  const shown = asRead(access, row)
  const values: Values = Object.assign(Object.create(null), before, given)
  syncContactData(scope, values, given)
  validate(store, scope, values, given, false)
  checkAssignment(access, scope, values, before)
  checkLinks(access, scope, values, before)
  const at = store.stamp()
  BEFORE_SAVE[scope.name]?.(scope, values, before, at)
  values.modifiedAt = at
  if (scope.fields.modifiedBy) values.modifiedById = user.id
  if (scope.name === 'User') saveCredentials(store, id, values)
  const links = Object.assign(Object.create(null), saveLinks(store, scope, id, values))
  store.change(row, links, keysOf(scope, links))
  writeStream(access, row, before)
  const answer = asUpdated(access, row, shown, given)
  toStored(scope, row.values)
  announceUpdate(access, row, before)
  return answer
}

export function deleteRecord(access: Access, scope: Scope, id: string): true {
  const row = writable(access, scope, id, 'delete')
  if (row.id === access.user.id) throw forbidden()
  remove(access, row)
  return true
}

/** A deletion moves the modified date and names who deleted. */
export function remove(access: Access, row: Row): void {
  const { store, user } = access
  const modifiedBy = store.scope(row.scope).fields.modifiedBy && { modifiedById: user.id }
  store.remove(row, Object.assign(Object.create(null), row.values, { modifiedAt: store.stamp(), ...modifiedBy }))
  announceDelete(access, row)
}

/** Leaves the modified date as it is, and no webhook tells of it. For administrators. */
export function restoreRecord({ store, isAdmin }: Access, scope: Scope, { id }: Values): true {
  if (!isAdmin) throw forbidden()
  if (typeof id !== 'string' || id === '') throw badRequest()
  const row = store.table(scope.name).rows.get(id)
  if (!row) throw notFound()
  if (!row.deleted) throw forbidden("No 'deleted' attribute.")
  store.restore(row, keysOf(scope, row.values))
  return true
}

function writable(access: Access, scope: Scope, id: string, action: 'edit' | 'delete'): Row {
  if (!access.allows(scope.name, action)) throw forbidden(`No ${action} access.`)
  const row = access.store.get(scope.name, id)
  if (!row) throw notFound(`Record ${id} not found.`)
  if (!access.allowsOn(row, action)) throw forbidden(`No ${action} access.`)
  return row
}

export function listRecords(access: Access, scope: Scope, params: SearchParams, rows: Iterable<Row>, options: ListOptions) {
  const { noTotal, since, linkSelect } = options
  if (!access.allows(scope.name, 'read')) throw forbidden('No read access.')
  const { total, rows: shown } = search(access, scope, params, visible(access.store, rows, since), options)
  const selected = params.select || linkSelect ? selection(scope, params, linkSelect) : undefined
  const more = params.offset + shown.length < total
  return {
    total: noTotal ? (more && params.maxSize > 0 ? -1 : -2) : total,
    list: shown.map((row) => (selected ? asSelected(access, row, selected) : asListed(access, row))),
  }
}
