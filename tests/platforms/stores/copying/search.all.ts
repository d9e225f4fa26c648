import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backupStore, moveStore, restoreStore } from '../../../../src/app/move-store.ts'
import { Lead } from '../../../../src/contract/records/lead.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { type Kind, newStoreUrl, withStore } from '../../../support/store-urls.ts'

async function seeded(store: Store): Promise<string[]> {
  await store.addWorkspace('default')
  return store.write(1, async (writer) => {
    const ids: string[] = []
    for (let i = 0; i < 30; i++) {
      const record = newRecord(Lead, writer.newId(), { FirstName: 'Ada', LastName: `Lovelace ${i}`, OwnerID: 'u' })
      await writer.create(Lead.name, record)
      ids.unshift(record.LeadID)
    }
    return ids
  })
}

const found = async (store: Store) => (await store.reader(1).search({ text: 'lovel', types: ['Lead'], limit: 100 })).map(({ record }) => record.LeadID)

test.each<[Kind, Kind]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('a store that moves from %s to %s is indexed there', async (one, other) => {
  const [from, to] = [await newStoreUrl(one), await newStoreUrl(other)]
  const ids = await withStore(from, seeded)
  await moveStore(from, to, {})
  await withStore(to, (store) => expect.poll(() => found(store)).toEqual(ids))
})

test('a store that was restored from a backup finds what the backup has', async () => {
  const url = await newStoreUrl('postgres')
  const ids = await withStore(url, seeded)
  const file = join(await temporaryFolder(), 'backup.db')
  await backupStore(url, file, {})
  await withStore(url, async (store) => {
    await store.write(1, (writer) => writer.update('Lead', ids[0] as string, { LastName: 'Byron' }))
    expect(await found(store)).toEqual(ids.slice(1))
  })
  await restoreStore(url, file, true, {})
  await withStore(url, (store) => expect.poll(() => found(store)).toEqual(ids))
})
