import { describe, expect, type TestContext, test } from 'vitest'
import { clientOf } from '../../../src/contract/client/client.ts'
import { recordType } from '../../../src/contract/operations.ts'
import { localAdmin } from '../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import { apply, backfill } from '../../../src/core/watch/apply.ts'
import { readErasures } from '../../../src/core/watch/erasures.ts'
import { watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import type { Watched } from '../../../src/core/watch/watched.ts'
import type { Store } from '../../../src/platforms/store.ts'
import { simulate, startConnectingService } from '../../support/connected.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { type Crm, overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'
import { temporaryPostgres } from '../../support/postgres-store.ts'

const WORD = 'Secretive'
const { signal } = new AbortController()

/** The connector over an account that it watches, and another client of it. */
async function watching(kind: Crm, onTestFinished: TestContext['onTestFinished'], given?: Store) {
  const connection = await overCrm(kind, { isWatched: true, ...(given && { store: given }) })
  const other = await otherClient(kind, connection.simulator.url)
  onTestFinished(async () => {
    await other.close()
    await connection.close()
  })
  const { service } = connection
  const { store } = service
  const crm = connection.signIn(connection.adminKey)
  const poll = () => watchWorkspace(service, 1, signal)
  const create = async () => (await other.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName: WORD, Status: 'Open' }))).LeadID as string
  const erase = (LeadID: string) => crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })
  await poll()

  /** Nothing that the store has, or announces, holds the word. */
  async function expectNoTrace() {
    const { Events } = await crm.events.getMany({ Limit: 1000 })
    const { Records } = await crm.changes.getMany({ Limit: 200 })
    const rows = await Promise.all(
      ['Lead', 'Contact', 'Note'].map((type) => store.mirror(1).find(type, { where: [], order: { field: 'CreatedDate', descending: false }, limit: 100 })),
    )
    const found = await crm.search({ Text: WORD })
    expect(JSON.stringify([Events, Records, rows, found, await readErasures(store.journal(1))])).not.toContain(WORD)
  }
  const watched = <T>(work: (watched: Watched) => Promise<T>) => withWatched(service, 1, work)
  const types = async () => (await crm.events.getMany({ Limit: 1000 })).Events.filter(({ RecordType }) => RecordType === 'Lead').map(({ Type }) => Type)
  return { ...connection, other, crm, store, poll, create, erase, expectNoTrace, watched, types }
}

describe.each(ALL_CRMS)('a record of %s that is erased', (_name, kind) => {
  test('leaves nothing in the mirror, its search and its counts, and is announced once', async ({ onTestFinished }) => {
    const { crm, poll, create, erase, expectNoTrace, types } = await watching(kind, onTestFinished)
    const LeadID = await create()
    await crm.leads.addNote({ LeadID, Note: WORD })
    await poll()
    const { Total } = await crm.leads.getSummary({})
    expect((await crm.leads.get({ LeadID, Fresh: false })).LastName).toBe(WORD)
    await erase(LeadID)
    expect((await crm.leads.getSummary({})).Total).toBe(Total - 1)
    await expectNoTrace()
    await poll()
    await poll()
    await expectNoTrace()
    expect((await types()).at(-1)).toBe('lead.erased')
    expect((await types()).filter((type) => type === 'lead.deleted')).toEqual([])
  })

  test('may have been deleted by others before, noticed or not', async ({ onTestFinished }) => {
    const { other, poll, create, erase, expectNoTrace, types } = await watching(kind, onTestFinished)
    const [noticed, unnoticed] = [await create(), await create()]
    await poll()
    await other.write(1, (writer) => writer.delete('Lead', noticed))
    await poll()
    await other.write(1, (writer) => writer.delete('Lead', unnoticed))
    for (const LeadID of [noticed, unnoticed]) expect(await erase(LeadID)).toMatchObject({ RecordID: LeadID, Erased: true })
    await poll()
    await expectNoTrace()
    expect((await types()).filter((type) => type === 'lead.erased')).toHaveLength(2)
  })

  test('does not come back from what the watch has read before', async ({ onTestFinished }) => {
    const { create, erase, watched, expectNoTrace, poll } = await watching(kind, onTestFinished)
    const [announced, filled] = [await create(), await create()]
    const type = recordType('Lead')
    await watched(async (one) => {
      const late = await one.records.getAll('Lead', [filled])
      const getAll: Watched['records']['getAll'] = async (...about) => {
        const found = await one.records.getAll(...about)
        await erase(announced)
        return found
      }
      await apply({ ...one, records: { ...one.records, getAll } }, type, [announced])
      await erase(filled)
      await backfill(one, type, late)
    })
    await expectNoTrace()
    await poll()
    await expectNoTrace()
  })

  test('is not announced as deleted while that is under way', async ({ onTestFinished }) => {
    const { service, poll, create, types, expectNoTrace } = await watching(kind, onTestFinished)
    const LeadID = await create()
    await poll()
    const caller = await localAdmin(service, 'default')
    // A poll comes between the delete in the CRM and the erasure of the images.
    let polls = 0
    const interrupted = {
      ...service,
      platform: {
        ...service.platform,
        write: ((workspace, work, how) =>
          service.platform.write(
            workspace,
            async (writer) => {
              const purge = writer.purge?.bind(writer)
              if (purge)
                Object.assign(writer, {
                  async purge(type: string, id: string) {
                    const purged = await purge(type, id)
                    polls++
                    await poll()
                    return purged
                  },
                })
              return work(writer)
            },
            how,
          )) as typeof service.platform.write,
      },
    }
    await clientOf(inProcessTransport(interrupted, () => caller)).changes.erase({ RecordType: 'Lead', RecordID: LeadID })
    expect([polls, (await types()).slice(-1), (await types()).includes('lead.deleted')]).toEqual([1, ['lead.erased'], false])
    await expectNoTrace()
  })

  test('is asked for by a dry run, which erases nothing', async ({ onTestFinished }) => {
    const { crm, create, poll, erase } = await watching(kind, onTestFinished)
    const LeadID = await create()
    await poll()
    const dry = await crm.call('erase_record', { RecordType: 'Lead', RecordID: LeadID }, { dryRun: true })
    expect(dry).toMatchObject({ DryRun: true, WouldWrite: { RecordID: LeadID, Erased: true, Changes: 1 } })
    expect((await crm.leads.get({ LeadID })).LastName).toBe(WORD)
    expect((await crm.leads.get({ LeadID, Fresh: false })).LastName).toBe(WORD)
    expect((await erase(LeadID)).Changes).toBe(1)
  })
})

test('a record that is erased leaves nothing in a mirror in PostgreSQL', async ({ onTestFinished }) => {
  const { crm, poll, create, erase, expectNoTrace, types } = await watching(HUBSPOT, onTestFinished, await temporaryPostgres())
  const LeadID = await create()
  await crm.leads.addNote({ LeadID, Note: WORD })
  await poll()
  expect((await crm.leads.get({ LeadID, Fresh: false })).LastName).toBe(WORD)
  expect(await erase(LeadID)).toMatchObject({ Erased: true, Changes: 2 })
  await expectNoTrace()
  await poll()
  await expectNoTrace()
  expect(await types()).toEqual(['lead.created', 'lead.note_added', 'lead.erased'])
})

test('a contact of HubSpot that is erased is not among its deleted ones', async ({ onTestFinished }) => {
  const { crm, create, erase, simulator } = await watching(HUBSPOT, onTestFinished)
  const [deleted, present] = [await create(), await create()]
  const archived = async (id: string) => {
    const answer = await fetch(`${simulator.url}/crm/v3/objects/contacts/${id}?archived=true`, { headers: { authorization: 'Bearer simulator' } })
    return answer.status
  }
  await crm.leads.delete({ LeadID: deleted })
  expect(await archived(deleted)).toBe(200)
  for (const LeadID of [deleted, present]) {
    expect((await erase(LeadID)).Remains).toBeUndefined()
    expect(await archived(LeadID)).toBe(404)
  }
})

test('a record of an account that is no longer connected is erased from the store, and what remains of it elsewhere is not denied', async () => {
  const { crm } = await startConnectingService()
  const [first, second] = [await simulate(SALESFORCE.simulate), await simulate(HUBSPOT.simulate)]
  const connectTo = (Platform: 'salesforce' | 'hubspot', Address: string, secrets: readonly string[]) =>
    crm.connections.create({ Platform, Address, Secrets: Object.fromEntries(secrets.map((secret) => [secret, 'simulator'])) })
  const { ConnectionID } = await connectTo('salesforce', first.url, SALESFORCE.secrets)
  const [{ LeadID }, other] = [await crm.leads.create({ FirstName: 'Ada', LastName: WORD }), await crm.leads.create({ FirstName: 'Ada', LastName: WORD })]
  expect((await crm.changes.erase({ RecordType: 'Lead', RecordID: other.LeadID })).Remains).toContain('Salesforce keeps it')
  await crm.connections.delete({ ConnectionID })
  await connectTo('hubspot', second.url, HUBSPOT.secrets)
  expect(await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })).toMatchObject({
    Changes: 1,
    Remains: 'hubspot does not have it. What another CRM, or one that it was deleted in before, keeps of it is not reached.',
  })
})
