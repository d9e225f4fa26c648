import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backupStore, moveStore, restoreStore } from '../../../../src/app/move-store.ts'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { execute } from '../../../../src/core/call/execute.ts'
import { createService } from '../../../../src/core/service.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { type Kind, newStoreUrl, withStore } from '../../../support/store-urls.ts'

/** Calls as the admin of a store. */
async function calling(store: Store) {
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  return async (operation: string, input: object) => (await execute(service, { operation, input, caller })).result as { readonly [member: string]: unknown }
}

const LONG = `${'x'.repeat(63)}😀`

async function seeded(store: Store): Promise<void> {
  const call = await calling(store)
  await call('define_field', { RecordType: 'Lead', FieldName: 'Score', Kind: 'number', Indexed: true })
  await call('define_field', { RecordType: 'Lead', FieldName: 'Motto', Kind: 'longText', Unique: true })
  await call('define_field', { RecordType: 'Lead', FieldName: 'Extra', Kind: 'json' })
  for (let i = 0; i < 5; i++)
    await call('create_a_lead', { FirstName: 'Ada', LastName: `L${i}`, Score: i - 2.5, Motto: i === 4 ? null : `${LONG}${i}`, Extra: { i, list: ['a', null] } })
}

/** What is found by the fields, along their indexes and beside them. */
async function found(store: Store): Promise<unknown> {
  const call = await calling(store)
  const names = async (input: object) =>
    ((await call('get_many_leads', input)).Records as { LastName: string; Extra: unknown }[]).map(({ LastName, Extra }) => [LastName, Extra])
  return [
    await names({ OrderBy: 'Score' }),
    await names({ Filters: { Score: -1.5 } }),
    await names({ Filters: { Motto: `${LONG}2` } }),
    await names({ OrderBy: 'Motto desc' }),
  ]
}

const extra = (i: number) => [`L${i}`, { i, list: ['a', null] }]
const FOUND = [[0, 1, 2, 3, 4].map(extra), [extra(1)], [extra(2)], [3, 2, 1, 0, 4].map(extra)]

test.each<[Kind, Kind]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('a store that moves from %s to %s has its own fields there, with their indexes', async (one, other) => {
  const [from, to] = [await newStoreUrl(one), await newStoreUrl(other)]
  await withStore(from, seeded)
  expect(await withStore(from, found)).toEqual(FOUND)
  await moveStore(from, to, {})
  expect(await withStore(to, found)).toEqual(FOUND)
  await withStore(to, async (store) => {
    const call = await calling(store)
    await expect(call('create_a_lead', { FirstName: 'Ada', LastName: 'X', Motto: `${LONG}1` })).rejects.toMatchObject({ code: 'conflict' })
  })
})

test('a backup brings back what the fields had', async () => {
  const url = await newStoreUrl('postgres')
  await withStore(url, seeded)
  const file = join(await temporaryFolder(), 'backup.db')
  await backupStore(url, file, {})
  await withStore(url, async (store) => {
    const call = await calling(store)
    const [lead] = (await call('get_many_leads', { Filters: { Score: -1.5 } })).Records as { LeadID: string }[]
    await call('update_lead', { LeadID: lead?.LeadID, FieldsToUpdate: { Score: 9, Motto: null, Extra: null } })
    expect(await found(store)).not.toEqual(FOUND)
  })
  await restoreStore(url, file, true, {})
  expect(await withStore(url, found)).toEqual(FOUND)
})
