import { recordType } from '../../../contract/operations.ts'
import { DriverError } from '../engine/errors.ts'
import type { Examined, OpenOptions } from '../engine/kind.ts'
import type { Table } from '../engine/tables.ts'
import type { Api, Me } from './api.ts'
import { wrongCurrency } from './currencies.ts'
import { isMissing } from './errors.ts'
import { connections, definitionsOf } from './espocrm.ts'
import { missingIn, withoutLacking } from './fit.ts'
import { attributesOf, type Definitions, type FieldsDefs, fieldOfAttribute } from './metadata.ts'
import { espoTables } from './tables.ts'

/** What must be allowed of each kind of record for all operations to work. */
const RIGHTS: { readonly [type: string]: readonly string[] } = {
  Lead: ['create', 'read', 'edit', 'delete', 'stream'],
  Opportunity: ['create', 'read', 'edit', 'delete', 'stream'],
  Case: ['create', 'read', 'edit', 'delete', 'stream'],
  Company: ['create', 'read', 'edit', 'delete', 'stream'],
  Contact: ['create', 'read', 'edit', 'delete', 'stream'],
  // Undoing the creation of a campaign deletes it.
  Campaign: ['create', 'read', 'edit', 'delete'],
  TargetList: ['create', 'read', 'edit'],
}

/** An id that no record has. */
const ABSENT = 'none'

/** Requests that need a right and change nothing: what EspoCRM says of a role is not all that it goes by. */
const PROBES: { readonly [right: string]: (api: Api, scope: string) => Promise<unknown> } = {
  read: (api, scope) => api.list(scope, { size: 1 }),
  edit: (api, scope) => api.put(scope, ABSENT, {}),
  delete: (api, scope) => api.delete(`${scope}/${ABSENT}`),
}

/** Checks an EspoCRM with the credentials of the service: whether they are accepted, what they permit, and what EspoCRM lacks. Nothing is written. */
export async function* examine(opening: OpenOptions): AsyncGenerator<Examined> {
  try {
    yield* examined(opening)
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    yield { name: 'EspoCRM', good: false, text: error.message, code: error.code, ...(error.hint !== undefined && { todo: error.hint }) }
  }
}

async function* examined(opening: OpenOptions): AsyncGenerator<Examined> {
  const { api, design, how, place } = connections(opening, () => undefined)
  try {
    const me = await api.me()
    yield { name: 'Sign-in', good: true, text: `EspoCRM at ${place.origin}${place.base} lets ${me.user.userName} (${me.user.type}) in with ${how}.` }
    yield version(me)
    if (place.origin.startsWith('http:')) yield plain(place.origin)
    if (!administers(me)) {
      for (const [type, wanted] of Object.entries(RIGHTS)) yield await rights(api, opening.tables[type]?.object ?? type, wanted, me)
      yield await users(api, me)
    }
    yield assignment(me)
    const wrong = wrongCurrency(opening.settings.options.currency, me)
    if (wrong) yield { name: 'Currency', good: false, ...wrong }
    const definitions = await definitionsOf(api, opening.tables)
    const tables = withoutLacking(opening.tables, espoTables(opening.settings.options), definitions)
    for (const [type, table] of Object.entries(tables)) yield* fields(type, table, definitions, me)
    yield design === api && !administers(me) ? customObjects() : await administrator(design)
    yield { name: 'Quota', good: true, text: 'EspoCRM counts no requests.' }
  } finally {
    await Promise.all([api.close(), ...(design === api ? [] : [design.close()])])
  }
}

const administers = ({ user }: Me) => user.type === 'admin' || user.type === 'super-admin'

function version({ settings = {} }: Me): Examined {
  const version = typeof settings.version === 'string' && /^\d/.test(settings.version) ? settings.version : undefined
  const [major = 8] = (version ?? '8').split('.').map(Number)
  const good = major >= 8
  return {
    name: 'Version',
    good,
    text: version === undefined ? 'EspoCRM does not say which version it is.' : `EspoCRM is version ${version}.`,
    ...(!good && { todo: 'This service is made for EspoCRM 8 and later. Update EspoCRM.' }),
  }
}

const plain = (origin: string): Examined => ({
  name: 'Encryption',
  good: /^http:\/\/(?:localhost|127\.|\[::1\])/.test(origin),
  text: 'The connection is not encrypted: the API key can be read on the way.',
  todo: 'Reach EspoCRM by https.',
})

async function rights(api: Api, scope: string, wanted: readonly string[], { acl }: Me): Promise<Examined> {
  const granted = acl.table[scope]
  const level = (right: string) => (typeof granted === 'object' ? (granted[right] ?? 'no') : granted ? 'all' : 'no')
  const isRefused = (right: string) =>
    PROBES[right]?.(api, scope).then(
      () => false,
      (error: unknown) => {
        if (isMissing(error)) return false
        if (error instanceof DriverError && error.code === 'forbidden') return true
        throw error
      },
    )
  const refused = await Promise.all(wanted.map(async (right) => level(right) === 'no' || (await isRefused(right)) === true))
  const missing = wanted.filter((_, at) => refused[at])
  const partly = wanted.filter((right) => ['own', 'team'].includes(level(right)))
  return {
    name: `Rights on ${scope}`,
    good: missing.length === 0,
    text:
      missing.length > 0
        ? `The API user may not ${missing.join(', ')} ${scope}.`
        : partly.length > 0
          ? `The API user may ${wanted.join(', ')} ${scope}, but ${partly.join(', ')} only ${scope} of its own or of its teams.`
          : `The API user may ${wanted.join(', ')} ${scope}.`,
    ...(missing.length > 0 && { todo: `Set ${missing.join(', ')} of ${scope} in the role of the API user (Administration, Roles).` }),
  }
}

/** Records can be given only to users that the API user may read. */
async function users(api: Api, { acl }: Me): Promise<Examined> {
  const { User: granted } = acl.table
  const { list } = await api.list('User', { size: 1 })
  const good = list.length > 0 && typeof granted === 'object' && granted.read === 'all'
  return {
    name: 'Rights on User',
    good,
    text: good ? 'The API user may read every User.' : 'The API user may not read every User, and so cannot give records to them.',
    ...(!good && { todo: 'Set read of User to all in the role of the API user (Administration, Roles).' }),
  }
}

function assignment({ acl, user }: Me): Examined {
  const good = user.type !== 'api' || acl.assignmentPermission === 'all'
  return {
    name: 'Owners',
    good,
    text: good
      ? 'The service may give records to any user.'
      : `The service may not give records to every user: its assignment permission is ${acl.assignmentPermission ?? 'not set'}.`,
    ...(!good && { todo: 'Set the assignment permission in the role of the API user to all.' }),
  }
}

function* fields(type: string, table: Table, definitions: Definitions, me: Me): Generator<Examined> {
  const defs = definitions[table.object]?.fields
  const name = `Fields of ${type}`
  if (!defs) {
    yield { name, good: false, text: `EspoCRM does not tell what ${table.object} has.`, todo: `Let the role of the API user read ${table.object}.` }
    return
  }
  const missing = missingIn(type, table, defs)
  if (missing.length > 0)
    yield {
      name,
      good: false,
      text: `EspoCRM does not have ${missing.join(', ')}.`,
      todo: 'Make these fields in the Entity Manager, or correct the configuration.',
    }
  const denied = deniedIn(table, defs, me)
  if (denied.length > 0)
    yield {
      name,
      good: false,
      text: `The API user may not read and write ${denied.join(', ')}.`,
      todo: `Grant these fields of ${table.object} in its role (Field Level).`,
    }
  const demanded = demandedIn(type, table, defs)
  if (demanded.length > 0)
    yield {
      name,
      good: false,
      text: `EspoCRM requires ${demanded.join(', ')} of ${table.object}, which the contract does not.`,
      todo: `Give them a value under defaults of ${type} in the configuration, or let every create of a ${type} give them.`,
    }
  if (missing.length + denied.length + demanded.length === 0) yield { name, good: true, text: `EspoCRM has every field of ${type}.` }
}

function deniedIn(table: Table, defs: FieldsDefs, { acl }: Me): string[] {
  const denied = Object.entries(acl.fieldTable?.[table.object] ?? {}).flatMap(([field, rights]) =>
    rights?.edit === 'no' || rights?.read === 'no' ? [field] : [],
  )
  const places = Object.values(table.fields).filter((place) => place !== null)
  return denied.filter((field) => places.some(({ name, readOnly }) => !readOnly && attributesOf(field, defs[field]).includes(name)))
}

/** What must be given when a record is made, and is neither ours to give nor EspoCRM's to fill in. */
function demandedIn(type: string, table: Table, defs: FieldsDefs): string[] {
  if (recordType(type).childOf) return []
  const given = [...Object.values(table.fields).flatMap((place) => place?.name ?? []), ...Object.keys(table.defaults ?? {}), ...Object.keys(table.fixed ?? {})]
  const filled = new Set(given.map((name) => fieldOfAttribute(defs, name)))
  return Object.entries(defs).flatMap(([field, { required, readOnly, notStorable, default: first }]) =>
    required && !readOnly && !notStorable && first == null && !filled.has(field) ? [field] : [],
  )
}

const customObjects = (): Examined => ({
  name: 'Custom objects',
  good: true,
  text: 'Objects and fields that are there can be used where the role grants them; new ones cannot be made, because only an administrator may.',
  todo: 'Give the secrets username and password of an administrator where new ones are to be made.',
})

async function administrator(design: Api): Promise<Examined> {
  const me = await design.me().catch((error: unknown) => {
    if (error instanceof DriverError) return error
    throw error
  })
  if (me instanceof DriverError)
    return { name: 'Custom objects', good: false, text: me.message, code: me.code, ...(me.hint !== undefined && { todo: me.hint }) }
  const { user } = me
  const good = administers(me)
  return {
    name: 'Custom objects',
    good,
    text: good ? `${user.userName} may make objects and fields.` : `${user.userName} is no administrator, and may not make objects and fields.`,
    ...(!good && { todo: 'Give the name and password of an administrator, or none.' }),
  }
}
