import type { UserNames } from '../../platform.ts'
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

interface Owners {
  readonly results: readonly { readonly id: string; readonly firstName?: string | null; readonly lastName?: string | null; readonly email?: string | null }[]
  readonly paging?: { readonly next?: { readonly after: string } }
}

/** The most that HubSpot lists at once, and how many pages of owners are read. */
const PAGE = 500
const MOST_PAGES = 4

/** The names of owners, of former ones too. */
export async function ownerNames(connection: Hub): Promise<UserNames> {
  const names = new Map<string, string>()
  for (const archived of [false, true]) {
    let after: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = new URLSearchParams({ limit: String(PAGE), archived: String(archived), ...(after !== undefined && { after }) })
      const { results, paging } = await connection.json<Owners>({ method: 'GET', path: `${connection.paths.owners}?${query}` })
      for (const { id, firstName, lastName, email } of results) names.set(id, [firstName, lastName].filter(Boolean).join(' ') || email || id)
      after = paging?.next?.after
      if (after === undefined) break
    }
  }
  return names
}
