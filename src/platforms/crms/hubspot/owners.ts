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
