import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../../../src/contract/client/client.ts'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../../../src/core/call/in-process.ts'
import { createService } from '../../../../src/core/service.ts'
import { connect, READING, sqliteDriver } from '../../../../src/platforms/stores/sqlite/connection.ts'
import { sharingSnapshots } from '../../../../src/platforms/stores/sqlite/snapshot.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { TextCache } from '../../../../src/platforms/stores/sqlite/text-cache.ts'
import { temporaryFolder } from '../../../support/folder.ts'

async function openedBy(path: string) {
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const admin = await localAdmin(service)
  return clientOf(inProcessTransport(service, () => admin))
}

test('a record that was read is read again once anybody has changed the store', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const [own, other] = [await openedBy(path), await openedBy(path)]
  const { LeadID } = await own.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  expect((await own.leads.get({ LeadID })).LastName).toBe('Lovelace')
  await own.leads.update({ LeadID, FieldsToUpdate: { LastName: 'Byron' } })
  expect((await own.leads.get({ LeadID })).LastName).toBe('Byron')
  await other.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' } })
  await new Promise(setImmediate)
  expect(await own.leads.get({ LeadID })).toMatchObject({ LastName: 'King', NotesTotal: 0 })
  await other.leads.addNote({ LeadID, Note: 'Met in London.' })
  await new Promise(setImmediate)
  expect(await own.leads.get({ LeadID })).toMatchObject({ NotesTotal: 1, Notes: [{ Note: 'Met in London.' }] })
  await other.leads.delete({ LeadID })
  await new Promise(setImmediate)
  await expect(own.leads.get({ LeadID })).rejects.toMatchObject({ code: 'not_found' })
})

test('what is cached is that of the snapshot, and stays as long as the store does not change', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const writer = await openedBy(path)
  const reading = sharingSnapshots(connect(await sqliteDriver(), path, READING))
  onTestFinished(() => reading.close())
  reading.cache?.().set('key', 'text')
  await new Promise(setImmediate)
  expect(reading.cache?.().get('key')).toBe('text')
  await writer.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  reading.release()
  expect(reading.cache?.().get('key')).toBe(undefined)
})

test('texts are dropped once they are too many', () => {
  const cache = new TextCache()
  const text = 'x'.repeat(1_048_576)
  for (let i = 0; i < 100; i++) {
    cache.set(String(i), text)
    expect(cache.get(String(i))).toBe(text)
  }
  expect(Array.from({ length: 100 }, (_, i) => cache.get(String(i))).filter(Boolean).length).toBeLessThan(20)
})
