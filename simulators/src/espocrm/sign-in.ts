import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WireRequest } from '../simulated.ts'
import type { Row, Store, Values } from './store.ts'

/** Whoever comes to a simulator brings this for everything. */
const SIMULATOR = 'simulator'

/**
 * The administrator an installation begins with. The API key of the simulator is the administrator's, although in EspoCRM only
 * API users have keys and none of them may administrate: so one key is enough to make users, roles and custom objects with.
 */
export function addAdministrator(store: Store): void {
  const at = new Date(store.now()).toISOString().slice(0, 19).replace('T', ' ')
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
  store.passwords.set(row.id, SIMULATOR)
  store.secrets.set(row.id, SIMULATOR)
  store.apiKeys.set(SIMULATOR, row)
}

/** Whose request this is, if anybody's. */
export function signedIn(store: Store, request: WireRequest, resource: string): Row | undefined {
  const user = byHmac(store, request, resource) ?? byKey(store, request.headers['x-api-key']) ?? byPassword(store, request)
  return user && !user.deleted && user.values.isActive !== false ? user : undefined
}

function byKey(store: Store, key: string | undefined): Row | undefined {
  const user = key === undefined ? undefined : store.apiKeys.get(key)
  return user?.values.authMethod === 'Hmac' ? undefined : user
}

/** The method and the resource, signed with the secret key: in hexadecimal digits since 8.4.1, and as bytes before. */
function byHmac(store: Store, { method, headers }: WireRequest, resource: string): Row | undefined {
  const said = headers['x-hmac-authorization']
  if (said === undefined) return undefined
  const bytes = Buffer.from(said, 'base64')
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
  const said = headers['espo-authorization'] ?? /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (said === undefined) return undefined
  const [name = '', ...rest] = Buffer.from(said, 'base64').toString('utf8').split(':')
  const password = rest.join(':')
  for (const user of store.found('User', `userName:${name}`)) if (!user.deleted && store.passwords.get(user.id) === password) return user
  return undefined
}
