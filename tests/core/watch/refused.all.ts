import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../../src/contract/client/client.ts'
import { localAdmin } from '../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import { type Position, readPosition, writePosition } from '../../../src/core/watch/positions.ts'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import { simulate, startConnectingService } from '../../support/connected.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { otherClient } from '../../support/other-client.ts'
import { watchedAccount } from './account.ts'
import { failing } from './failing.ts'

const ALL = { create: 'yes', read: 'all', edit: 'all', delete: 'all' }

const DAY_MS = 86_400_000

/** An account and another client of it; its API user has a role whose rights are set. */
async function withRole() {
  const simulator = await simulate(simulateEspoCrm)
  const other = await otherClient(ESPOCRM, simulator.url)
  onTestFinished(() => other.close())
  const ask = async (path: string, body: object, method = 'POST') => {
    const headers = { 'x-api-key': 'simulator', 'content-type': 'application/json' }
    return (await (await fetch(`${simulator.url}/api/v1/${path}`, { method, headers, body: JSON.stringify(body) })).json()) as {
      id: string
      apiKey: string
    }
  }
  const data = (Campaign: false | typeof ALL) => ({ Lead: ALL, Account: ALL, Contact: ALL, Case: ALL, Opportunity: ALL, TargetList: ALL, Campaign })
  const role = await ask('Role', { name: 'campaigns or not', data: data(ALL) })
  const { apiKey } = await ask('User', { userName: 'api', type: 'api', rolesIds: [role.id] })
  const { service, crm } = await startConnectingService()
  await crm.connections.create({ Platform: 'espocrm', Address: simulator.url, Secrets: { apiKey } })
  const poll = () => watchWorkspace(service, 1, new AbortController().signal)
  const showCampaigns = (are: boolean) => ask(`Role/${role.id}`, { data: data(are ? ALL : false) }, 'PUT')
  return { simulator, other, service, crm, poll, showCampaigns }
}

test('a type that the account does not let us read does not keep the others from being followed', async () => {
  const { simulator, other, service, crm, poll, showCampaigns } = await withRole()
  await showCampaigns(false)
  await expect(poll()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringMatching(/^Campaign: /) })
  const { NextCursor } = await crm.events.getMany({ Limit: 1000 })
  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'New' }))
  await simulator.advance(60_000)
  await expect(poll()).rejects.toMatchObject({ code: 'forbidden' })
  const { Events } = await crm.events.getMany({ Limit: 1000, After: NextCursor })
  expect(Events).toMatchObject([{ Type: 'lead.created', RecordID: LeadID, Source: 'crm' }])

  const verified = await withWatched(service, 1, (watched) => verifyMirror(watched, new AbortController().signal))
  const campaigns = { type: 'Campaign', compared: 0, repaired: 0, reason: expect.stringMatching(/^Campaign: /), code: 'forbidden' }
  expect(verified).toEqual(expect.arrayContaining([campaigns, { type: 'Lead', compared: 1, repaired: 0 }]))
})

test('a type that fails does not keep the others from being followed, unless the account does not answer', async () => {
  const { simulator, other, poll, cursor, events, rows } = await watchedAccount('espocrm', ESPOCRM, onTestFinished)
  await poll()
  const before = await cursor()
  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'New' }))
  await other.write(1, (writer) => writer.create('Opportunity', { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-01' }))
  await other.write(1, (writer) => writer.create('Case', { Subject: 'Broken', Status: 'New' }))
  await simulator.advance(60_000)
  const end = failing(simulator, '/api/v1/Opportunity', 400)
  await expect(poll()).rejects.toMatchObject({ code: 'platform_rejected', message: expect.stringMatching(/^Opportunity: /) })
  expect((await events(before)).map(({ Type }) => Type).sort()).toEqual(['case.created', 'lead.created'])
  end()

  await other.write(1, (writer) => writer.update('Lead', LeadID as string, { LastName: 'King' }))
  await simulator.advance(60_000)
  const recover = failing(simulator, '/api/v1/Account', 401)
  await expect(poll()).rejects.toMatchObject({ code: 'platform_unavailable' })
  expect(await rows('Lead')).toMatchObject([{ LastName: 'Lovelace' }])
  recover()
  await poll()
  expect(await rows('Lead')).toMatchObject([{ LastName: 'King' }])
  expect(await rows('Opportunity')).toHaveLength(1)
})

test('a type that the account lets us read no more is not answered from the mirror, and is backfilled anew by itself where that has lasted', async () => {
  const { simulator, other, service, poll, showCampaigns } = await withRole()
  const create = async (CampaignName: string) => (await other.write(1, (writer) => writer.create('Campaign', { CampaignName }))).CampaignID as string
  const serving = { ...service, watch: { intervalMs: 60_000, requestsPerDay: 1_000_000 } }
  const caller = await localAdmin(serving)
  const crm = clientOf(inProcessTransport(serving, () => caller))
  const names = async () => (await crm.campaigns.getMany({})).Records.map(({ CampaignName }) => CampaignName).sort()
  const types = async () => (await crm.events.getMany({ Limit: 1000 })).Events.map(({ Type }) => Type)
  const gone = await create('Gone')
  await create('Fair')
  await poll()

  await showCampaigns(false)
  await simulator.advance(60_000)
  await expect(poll()).rejects.toMatchObject({ code: 'forbidden' })
  await expect.poll(() => crm.campaigns.getMany({}).catch(({ code }) => code)).toBe('forbidden')
  expect((await crm.leads.getMany({})).AsOf).toBeDefined()
  expect((await crm.connections.getMirror({})).RecordTypes.find(({ RecordType }) => RecordType === 'Campaign')).toMatchObject({ Complete: false })

  const told = await types()
  await other.write(1, (writer) => writer.delete('Campaign', gone))
  await create('Show')
  await simulator.advance(8 * DAY_MS)
  const position = await readPosition(service.store.journal(1))
  // Each day was polled.
  const moved = Object.entries(position?.types ?? {}).map(([type, known]) => [type, known?.isRefused ? known : { ...known, since: Date.now() + 8 * DAY_MS }])
  await service.store.write(1, (writer) => writePosition(writer, { ...(position as Position), types: Object.fromEntries(moved) }))
  await expect(poll()).rejects.toMatchObject({ code: 'forbidden' })
  await showCampaigns(true)
  await poll()
  expect(await types()).toEqual(told)
  await expect.poll(async () => (await crm.campaigns.getMany({})).AsOf).toBeDefined()
  expect(await names()).toEqual(['Fair', 'Show'])
})
