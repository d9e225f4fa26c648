import { DriverError } from '../engine/errors.ts'
import type { Hub } from './hub.ts'

/** The id of an owner who is not archived; undefined where there is none. Without the scope for owners, the id is taken as it is. */
export async function findOwner(connection: Hub, id: string): Promise<string | undefined> {
  if (!/^\d+$/.test(id)) return undefined
  try {
    const owner = await connection.json<{ readonly id?: string; readonly archived?: boolean } | undefined>({
      method: 'GET',
      path: `${connection.paths.owners}/${id}`,
    })
    return owner?.archived ? undefined : (owner?.id ?? id)
  } catch (error) {
    if (error instanceof DriverError && error.code === 'not_found') return undefined
    if (error instanceof DriverError && error.code === 'forbidden') return id
    throw error
  }
}

/** The id of the owner who is this user; undefined where there is none, or where we may not ask. */
export async function ownerOfUser(connection: Hub, user: string): Promise<string | undefined> {
  try {
    const owner = await connection.json<{ readonly id?: string } | undefined>({
      method: 'GET',
      path: `${connection.paths.owners}/${encodeURIComponent(user)}?idProperty=userId`,
    })
    return owner?.id
  } catch (error) {
    if (error instanceof DriverError && (error.code === 'not_found' || error.code === 'forbidden')) return undefined
    throw error
  }
}
