import { linkedRows, manyLink } from '../links/links.ts'
import type { Attribute } from '../scopes/attributes.ts'
import type { Row, Store, Values } from '../store.ts'

/** A record, or an earlier version of it. */
export type Seen = Pick<Row, 'id' | 'scope' | 'values' | 'deleted' | 'followers'>

const FOLLOWERS = 6

/** The value of an attribute, for the user with this id. */
export function attributeValue(store: Store, row: Seen, { name, field, kind, type }: Attribute, userId = ''): unknown {
  const { values } = row
  switch (kind) {
    case 'stored':
      if (name === 'id') return row.id
      if (name === 'deleted') return row.deleted
      return values[name] ?? (type === 'bool' ? false : null)
    case 'serial':
    case 'linkId':
    case 'echo':
      return values[name] ?? null
    case 'fullName':
      return fullName(values)
    case 'converted':
      return name === 'amountWeightedConverted' ? weighted(values) : (values[field] ?? null)
    case 'flag': {
      const primary = primaryOf(values[`${field}Data`])
      return primary ? (name.endsWith('IsOptedOut') ? primary.optOut : primary.invalid) : null
    }
    case 'data':
      return values[name] ?? []
    case 'default':
      return false
    case 'counted':
      return counted(store, row, name)
    case 'linkName':
    case 'linkNameApart':
      return nameOf(store, store.scope(row.scope).links[field]?.entity, values[`${field}Id`])
    case 'parentName':
      return nameOf(store, values[`${field}Type`], values[`${field}Id`])
    case 'oneId':
    case 'oneName': {
      const one = theOne(store, row, field)
      return one ? (kind === 'oneId' ? one.id : displayName(store, one)) : null
    }
    case 'role':
      return roleOf(store, row)
    case 'manyIds':
      return linked(store, row, field).map(({ id }) => id)
    case 'manyNames':
      return Object.fromEntries(linked(store, row, field).map((other) => [other.id, displayName(store, other)]))
    case 'manyColumns':
      return Object.fromEntries(linked(store, row, field).map(({ id }) => [id, columns(store, row, field, id)]))
    case 'isFollowed':
      return row.followers.has(userId)
    case 'followersIds':
      return followers(store, row).map(({ id }) => id)
    case 'followersNames':
      return Object.fromEntries(followers(store, row).map((user) => [user.id, displayName(store, user)]))
    case 'manyTypes':
      return {}
    case 'secret':
    case 'numeric':
    case 'image':
      return null
  }
}

export function fullName({ firstName, lastName }: Values): string | null {
  return [firstName, lastName].filter(Boolean).join(' ') || null
}

export function displayName(store: Store, { scope, values }: Seen): unknown {
  return store.scope(scope).fields.name?.type === 'personName' ? fullName(values) : (values.name ?? null)
}

export function nameOf(store: Store, scope: unknown, id: unknown): unknown {
  if (typeof scope !== 'string' || typeof id !== 'string' || !store.scopes.has(scope)) return null
  const row = store.table(scope).rows.get(id)
  if (!row && scope === 'User' && id === 'system') return 'System'
  return row ? displayName(store, row) : null
}

/** An e-mail address or telephone number of a record. */
export interface ContactEntry {
  readonly primary: boolean
  readonly optOut: boolean
  readonly invalid: boolean
  readonly [part: string]: unknown
}

export function primaryOf(data: unknown): ContactEntry | undefined {
  return Array.isArray(data) ? data.find(({ primary }: ContactEntry) => primary) : undefined
}

function weighted({ amount, probability }: Values): number | null {
  return typeof amount === 'number' && typeof probability === 'number' ? (amount * probability) / 100 : null
}

const linked = (store: Store, row: Seen, field: string) => linkedRows(store, store.scope(row.scope), field, row.id)

function columns(store: Store, row: Seen, field: string, id: string): Values {
  const scope = store.scope(row.scope)
  const link = manyLink(store, scope, field)
  const stored = link?.kind === 'related' ? store.relations.linked(link.ends, row.id).get(id) : undefined
  return Object.fromEntries(Object.keys(scope.fields[field]?.columns ?? {}).map((column) => [column, stored?.[column] ?? null]))
}

/** The role of a record in the one that its primary link points to. */
function roleOf(store: Store, row: Seen): unknown {
  const { primary } = store.scope(row.scope)
  const id = primary && row.values[`${primary.one}Id`]
  return primary && typeof id === 'string' ? (columns(store, row, primary.many, id).role ?? null) : null
}

function followers(store: Store, row: Seen): Row[] {
  return [...row.followers]
    .map((id) => store.get('User', id))
    .filter((user): user is Row => user !== undefined)
    .slice(0, FOLLOWERS)
}

function theOne(store: Store, row: Seen, field: string): Row | undefined {
  const { entity = '', foreign = '' } = store.scope(row.scope).links[field] ?? {}
  for (const one of store.found(entity, `${foreign}:${row.id}`)) if (!one.deleted) return one
  return undefined
}

/** Computed figures. Those that the simulator cannot count have their initial value. */
function counted(store: Store, row: Seen, name: string): unknown {
  if (name === 'entryCount') return entries(store, row)
  if (name === 'revenue') return revenue(store, row)
  if (name === 'revenueCurrency') return 'USD'
  return ZEROES.has(name) ? 0 : null
}

const ZEROES = new Set(['openedCount', 'clickedCount', 'optedOutCount', 'bouncedCount'])

function entries(store: Store, row: Seen): number {
  const scope = store.scope('TargetList')
  return Object.keys(scope.linkSelect ?? {}).reduce((total, link) => total + linkedRows(store, scope, link, row.id).length, 0)
}

function revenue(store: Store, row: Seen): number | null {
  const won = linkedRows(store, store.scope('Campaign'), 'opportunities', row.id).filter(({ values }) => values.stage === 'Closed Won')
  return won.reduce((sum, { values }) => sum + Number(values.amount ?? 0), 0) || null
}
