import { createHmac, timingSafeEqual } from 'node:crypto'
import { SECRET, type WireRequest } from '../simulated.ts'
import { forbidden } from './errors.ts'
import { type Row, type Store, timestamp, type Values } from './store.ts'

/**
 * The administrator of a new installation. Unlike in EspoCRM, where only API users have keys and none is an administrator, the simulator's key
 * belongs to the administrator, so that one key can also create users, roles and custom objects.
 */
export function addAdministrator(store: Store): void {
  const at = timestamp(store.now())
  const values: Values = Object.assign(Object.create(null), {
    userName: 'admin',
    type: 'admin',
    lastName: 'Admin',
    isActive: true,
    createdAt: at,
    modifiedAt: at,
    createdById: 'system',
  })
  const row = store.add('User', store.nextId(), values, ['userName:admin'])
  store.passwords.set(row.id, SECRET)
  store.secrets.set(row.id, SECRET)
  store.apiKeys.set(SECRET, row)
}

const PERIOD_MS = 60_000
const MOST_FAILED = 10

/** Refuses everything while too many sign-ins have failed. EspoCRM counts them by address, and all requests here have the same. */
export function checkAttempts(store: Store): void {
  const since = store.now() - PERIOD_MS
  store.failedSignIns = store.failedSignIns.filter((at) => at > since)
  if (store.failedSignIns.length > MOST_FAILED) throw forbidden('Max failed login attempts exceeded.')
}

/** The user of a request, if signed in. Credentials that are wrong count as a failed sign-in. */
export function signedIn(store: Store, request: WireRequest, resource: string): Row | undefined {
  const user = byHmac(store, request, resource) ?? byKey(store, request.headers['x-api-key']) ?? byPassword(store, request)
  if (user && !user.deleted && user.values.isActive !== false) return user
  if (hasCredentials(request)) store.failedSignIns.push(store.now())
  return undefined
}

const CREDENTIALS = ['x-hmac-authorization', 'x-api-key', 'espo-authorization', 'authorization']

export const hasCredentials = ({ headers }: WireRequest) => CREDENTIALS.some((name) => headers[name] !== undefined)

function byKey(store: Store, key: string | undefined): Row | undefined {
  const user = key === undefined ? undefined : store.apiKeys.get(key)
  return user?.values.authMethod === 'Hmac' ? undefined : user
}

/** The HMAC of method and resource: in hexadecimal digits since 8.4.1, as bytes before. */
function byHmac(store: Store, { method, headers }: WireRequest, resource: string): Row | undefined {
  const header = headers['x-hmac-authorization']
  if (header === undefined) return undefined
  const bytes = Buffer.from(header, 'base64')
  const colon = bytes.indexOf(':')
  const user = colon < 0 ? undefined : store.apiKeys.get(bytes.toString('utf8', 0, colon))
  const secret = user && store.secrets.get(user.id)
  if (!user || secret === undefined) return undefined
  const signed = createHmac('sha256', secret).update(`${method} ${resource}`).digest()
  const hash = bytes.subarray(colon + 1)
  return same(hash, signed) || same(hash, Buffer.from(signed.toString('hex'))) ? user : undefined
}

const same = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

function byPassword(store: Store, { headers }: WireRequest): Row | undefined {
  const header = headers['espo-authorization'] ?? /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (header === undefined) return undefined
  const [name = '', ...rest] = Buffer.from(header, 'base64').toString('utf8').split(':')
  const password = rest.join(':')
  for (const user of store.found('User', `userName:${name}`)) if (!user.deleted && store.passwords.get(user.id) === password) return user
  return undefined
}
