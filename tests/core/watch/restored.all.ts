import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { expect, onTestFinished, test } from 'vitest'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import { openSqlite } from '../../../src/platforms/stores/sqlite/sqlite.ts'
import { processOn, simulate } from '../../support/connected.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { ask } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { otherClient } from '../../support/other-client.ts'

const DAY_MS = 86_400_000

test('a store that is put back by a day announces what it has lost once, and nothing that it knows', async () => {
  const folder = await temporaryFolder()
  const shared = (file: string) => ({ open: () => openSqlite(join(folder, file)), ask: (sql: string) => ask(join(folder, file), sql) })
  let ahead = -DAY_MS
  const simulator = await simulate(simulateEspoCrm, { clock: () => Date.now() + ahead })
  const other = await otherClient(ESPOCRM, simulator.url)
  onTestFinished(() => other.close())
  const create = (LastName: string) => other.write(1, (writer) => writer.create('Lead', { LastName, Status: 'New' }))
  const rename = (LeadID: unknown, LastName: string) => other.write(1, (writer) => writer.update('Lead', String(LeadID), { LastName }))
  const { service, crm } = await processOn(shared('crm.db'))
  const poll = (by = service) => watchWorkspace(by, 1, new AbortController().signal)
  const eventsOf = async (by: typeof crm) =>
    (await by.events.getMany({ Limit: 1000 })).Events.filter(({ RecordType }) => RecordType === 'Lead').map(({ EventID, Type, RecordID }) => ({
      EventID,
      Type,
      RecordID,
    }))

  await create('Lovelace')
  await crm.connections.create({ Platform: 'espocrm', Address: simulator.url, Secrets: { apiKey: 'simulator' } })
  await poll()
  const known = await create('Hopper')
  await poll()
  const before = await eventsOf(crm)
  expect(before).toEqual([expect.objectContaining({ Type: 'lead.created', RecordID: known.LeadID })])
  await service.store.write(1, async () => {})
  await ask(join(folder, 'crm.db'), 'PRAGMA wal_checkpoint(TRUNCATE)')
  await copyFile(join(folder, 'crm.db'), join(folder, 'copy.db'))

  ahead = 0
  const others = await create('Babbage')
  await rename(known.LeadID, 'Hopper-Murray')
  const own = await crm.leads.create({ FirstName: 'Mary', LastName: 'Somerville' })
  await poll()
  expect(
    (await eventsOf(crm))
      .slice(before.length)
      .map(({ Type }) => Type)
      .sort(),
  ).toEqual(['lead.created', 'lead.created', 'lead.updated'])

  const { service: restored, crm: after } = await processOn(shared('copy.db'))
  for (let n = 0; n < 3; n++) await poll(restored)
  const told = await eventsOf(after)
  expect(told.slice(0, before.length)).toEqual(before)
  const again = told.slice(before.length).map(({ Type, RecordID }) => `${Type} ${RecordID}`)
  expect(again.sort()).toEqual([`lead.created ${others.LeadID}`, `lead.created ${own.LeadID}`, `lead.updated ${known.LeadID}`].sort())
  const { Events } = await after.events.getMany({ Limit: 1000 })
  expect(Events.find(({ RecordID }) => RecordID === own.LeadID)?.Source).toBe('crm')
  expect(Events.some(({ Type }) => Type === 'connection.resynced')).toBe(false)
})
