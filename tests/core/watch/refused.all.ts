import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { expect, onTestFinished, test } from 'vitest'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import { simulate, startConnectingService } from '../../support/connected.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { otherClient } from '../../support/other-client.ts'
import { watchedAccount } from './account.ts'
import { failing } from './failing.ts'

const ALL = { create: 'yes', read: 'all', edit: 'all', delete: 'all' }

test('a type that the account does not let us read does not keep the others from being followed', async () => {
  const simulator = await simulate(simulateEspoCrm)
  const other = await otherClient(ESPOCRM, simulator.url)
  onTestFinished(() => other.close())
  const ask = async (path: string, body: object) => {
    const headers = { 'x-api-key': 'simulator', 'content-type': 'application/json' }
    return (await (await fetch(`${simulator.url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
      id: string
      apiKey: string
    }
  }
  const data = { Lead: ALL, Account: ALL, Contact: ALL, Case: ALL, Opportunity: ALL, TargetList: ALL, Campaign: false }
  const role = await ask('Role', { name: 'without campaigns', data })
  const { apiKey } = await ask('User', { userName: 'api', type: 'api', rolesIds: [role.id] })
  const { service, crm } = await startConnectingService()
  await crm.connections.create({ Platform: 'espocrm', Address: simulator.url, Secrets: { apiKey } })
  const poll = () => watchWorkspace(service, 1, new AbortController().signal)

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
