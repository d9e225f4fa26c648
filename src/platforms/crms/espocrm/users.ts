import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'

/** The id of an active user; undefined where there is none. Where the role of the API user does not show the user, the id is taken as it is. */
export async function findUser(api: Api, id: string): Promise<string | undefined> {
  // EspoCRM takes a zero for no id at all.
  if (!/^[\w-]+$/.test(id) || id === '0') return undefined
  try {
    const { isActive } = await api.read('User', id)
    return isActive === false ? undefined : id
  } catch (error) {
    if (error instanceof DriverError && error.code === 'not_found') return undefined
    if (error instanceof DriverError && error.code === 'forbidden') return id
    throw error
  }
}
