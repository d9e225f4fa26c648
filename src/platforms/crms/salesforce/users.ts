import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'
import { isId, longId } from './ids.ts'
import { quoted } from './soql.ts'

/** The id of an active user, in its long form; undefined where there is none. Where users are not shown to us, the id is taken as it is. */
export async function findUser(api: Api, given: string): Promise<string | undefined> {
  const id = longId(given)
  if (!isId(id)) return undefined
  try {
    const [user] = await api.everything(`SELECT Id FROM User WHERE Id = ${quoted(id)} AND IsActive = true`)
    return user?.Id
  } catch (error) {
    if (error instanceof DriverError && error.code === 'forbidden') return id
    throw error
  }
}
