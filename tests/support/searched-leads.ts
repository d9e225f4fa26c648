import { Lead } from '../../src/contract/records/lead.ts'
import { SEARCHED_TYPES } from '../../src/contract/search.ts'
import { newRecord } from '../../src/core/call/records.ts'
import type { Store } from '../../src/platforms/store.ts'

/** Creates leads in one transaction. Resolves to their ids. */
export async function createLeads(store: Store, names: readonly string[]): Promise<string[]> {
  return store.write(1, async (writer) => {
    const ids: string[] = []
    for (const LastName of names) {
      const record = newRecord(Lead, writer.newId(), { FirstName: 'F', LastName, OwnerID: 'u' })
      await writer.create(Lead.name, record)
      ids.push(record.LeadID)
    }
    return ids
  })
}

/** The ids of the leads that a search finds. */
export const found = async (store: Store, text: string, limit = 10_000) =>
  (await store.reader(1).search({ text, types: SEARCHED_TYPES, limit })).map(({ record }) => record.LeadID)
