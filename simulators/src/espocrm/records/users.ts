import { conflict, invalid } from '../errors.ts'
import type { Store, Values } from '../store.ts'

const NOT_IN_NAMES = /[^a-z0-9\-@_.\s]/

/** Completes a new user; user names are unique. */
export function completeUser(store: Store, values: Values): void {
  const { userName, type } = values
  if (typeof userName === 'string') {
    if (NOT_IN_NAMES.test(userName)) throw invalid('User', 'userName', 'valid')
    for (const other of store.found('User', `userName:${userName}`)) if (!other.deleted) throw conflict('userNameExists')
  }
  if (type !== 'api') return
  values.lastName = userName
  if (values.authMethod == null) values.authMethod = 'ApiKey'
}

/** Stores the credentials of a user apart from the record. The secret key is answered only once. */
export function saveCredentials(store: Store, id: string, values: Values): { readonly secretKey?: string } {
  if (typeof values.password === 'string') store.passwords.set(id, values.password)
  delete values.password
  if (values.type !== 'api' || values.apiKey != null) return {}
  values.apiKey = token(store)
  if (values.authMethod !== 'Hmac') return {}
  const secretKey = token(store)
  store.secrets.set(id, secretKey)
  return { secretKey }
}

/** 32 hexadecimal digits. */
export function token({ world }: Store): string {
  return Array.from({ length: 32 }, () => Math.floor(world.random() * 16).toString(16)).join('')
}
