import { conflict, invalid } from '../errors.ts'
import type { Store, Values } from '../store.ts'

/** User names have no other characters than these. */
const NOT_IN_NAMES = /[^a-z0-9\-@_.\s]/

/** Completes a new user, whose name nobody else may have. */
export function newUser(store: Store, values: Values): void {
  const { userName, type } = values
  if (typeof userName === 'string') {
    if (NOT_IN_NAMES.test(userName)) throw invalid('User', 'userName', 'valid')
    for (const other of store.found('User', `userName:${userName}`)) if (!other.deleted) throw conflict('userNameExists')
  }
  if (type !== 'api') return
  values.lastName = userName
  if (values.authMethod == null) values.authMethod = 'ApiKey'
}

/** Gives a user what it takes to sign in. Secrets are kept apart from the record; the secret key is shown only once. */
export function savedUser(store: Store, id: string, values: Values): { readonly secretKey?: string } {
  if (typeof values.password === 'string') store.passwords.set(id, values.password)
  delete values.password
  if (values.type !== 'api' || values.apiKey != null) return {}
  values.apiKey = token(store)
  if (values.authMethod !== 'Hmac') return {}
  const secretKey = token(store)
  store.secrets.set(id, secretKey)
  return { secretKey }
}

/** Thirty-two hexadecimal digits. */
function token({ world }: Store): string {
  return Array.from({ length: 32 }, () => Math.floor(world.random() * 16).toString(16)).join('')
}
