import type { UserNames } from '../../platform.ts'
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

/** The names of those who work in the org, former users among them; its portals may have many more users. One page, which is one request. */
export async function userNames(api: Api): Promise<UserNames> {
  const { records } = await api.query("SELECT Id, Name FROM User WHERE UserType = 'Standard' ORDER BY IsActive DESC")
  return new Map(records.map(({ Id, Name }) => [Id, String(Name)]))
}
