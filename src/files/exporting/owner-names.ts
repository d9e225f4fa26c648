import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import { unlessForbidden } from '../unless-forbidden.ts'
import type { Row } from './pages.ts'

/** The columns that tell the owner of a record. An import reads each of them. */
export const OWNER_COLUMNS = { id: ['OwnerID'], name: ['OwnerName'], both: ['OwnerID', 'OwnerName'] } as const
export type OwnerColumns = keyof typeof OWNER_COLUMNS

export const withOwnerColumns = (columns: readonly string[], owners: OwnerColumns): string[] =>
  columns.flatMap((column) => (column === 'OwnerID' ? OWNER_COLUMNS[owners] : [column]))

/** Pages of records with the names of their owners; an owner whom the caller may not see has the id as name. */
export async function* withOwnerNames(crm: Crm, pages: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  const names = new Map<unknown, string>()
  for await (const rows of pages) {
    const ids = new Set(rows.map(({ OwnerID }) => OwnerID).filter((id): id is string => typeof id === 'string' && !names.has(id)))
    if (ids.size > 0) {
      const page = await unlessForbidden(crm.users.getMany({ Filters: { UserID: { in: [...ids] } }, Select: ['Name'], Limit: LIMITS.page }))
      for (const id of ids) names.set(id, id)
      for (const { UserID, Name } of page?.Records ?? []) names.set(UserID, Name)
    }
    yield rows.map((row) => ({ ...row, OwnerName: names.get(row.OwnerID) }))
  }
}
