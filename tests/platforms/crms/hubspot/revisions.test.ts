import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../../../src/contract/client/client.ts'
import { createAuthenticator } from '../../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../../src/core/call/in-process.ts'
import { retryFor } from '../../../../src/core/call/retry.ts'
import { createService } from '../../../../src/core/service.ts'
import { openCrmPlatform } from '../../../../src/platforms/crms/engine/open.ts'
import { HUBSPOT } from '../../../support/crms/hubspot.ts'
import { overCrm } from '../../../support/crms.ts'

const HOURS_MS = 3 * 3_600_000
const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }

/** A caller over an account, and what moves its dates: all that HubSpot computes after a write has been computed. */
async function open() {
  const connection = await overCrm(HUBSPOT)
  onTestFinished(connection.close)
  const { simulator, service, adminKey, signIn } = connection
  const crm = signIn(adminKey)
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${simulator.url}/crm/objects/2026-03/${path}`, {
      method,
      headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return { crm, simulator, service, adminKey, ask, later: () => simulator.advance(HOURS_MS) }
}

test('a record is the same as long as its values are, whenever HubSpot moves its date', async () => {
  const { crm, later } = await open()
  const { LeadID, Revision, UpdatedDate } = await crm.leads.create(ADA)
  later()
  const read = await crm.leads.get({ LeadID })
  expect(read.UpdatedDate > UpdatedDate).toBe(true)
  expect(read.Revision).toBe(Revision)
  expect((await crm.leads.getMany({ Select: ['Revision'] })).Records).toEqual([{ LeadID, Revision }])
  expect((await crm.leads.getMany({ Select: ['Email'] })).Records).toEqual([{ LeadID, Email: ADA.Email }])
  const updated = await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '+44 20 7946 0958' }, IfRevision: Revision })
  expect(updated.Revision).toBeGreaterThan(Revision)
})

test('undo and a confirmed delete work after HubSpot has moved the date', async () => {
  const { crm, later } = await open()
  const { OpportunityID } = await crm.opportunities.create({ OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' })
  await crm.opportunities.update({ OpportunityID, FieldsToUpdate: { Amount: 5 } })
  later()
  const { Records } = await crm.changes.getMany({ Filters: { RecordID: OpportunityID } })
  const { ChangeID } = Records.find(({ EventType }) => EventType === 'opportunity.updated') as { ChangeID: string }
  expect((await crm.changes.undo({ ChangeID })).Record).toMatchObject({ Amount: null })
  later()
  const { Revision } = await crm.opportunities.get({ OpportunityID })
  await crm.opportunities.delete({ OpportunityID, IfRevision: Revision })
})

test('what people change in HubSpot is another Revision', async () => {
  const { crm, ask, later } = await open()
  const { LeadID, Revision } = await crm.leads.create(ADA)
  later()
  await ask('PATCH', `contacts/${LeadID}`, { properties: { phone: '555 0100' } })
  await expect(crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' }, IfRevision: Revision })).rejects.toMatchObject({ code: 'conflict' })
  await ask('PATCH', `contacts/${LeadID}`, { properties: { phone: '', fax: '555 0101' } })
  // Properties that are none of our fields make no difference.
  await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' }, IfRevision: Revision })
})

test('a Revision is good in every process, and after a restart', async () => {
  const { crm, simulator, service, adminKey, later } = await open()
  const { LeadID } = await crm.leads.create(ADA)
  const { Revision } = await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' } })
  later()
  const platform = await openCrmPlatform(HUBSPOT.kind, {
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options: HUBSPOT.options ?? {} },
    secrets: { token: 'simulator' },
    tables: HUBSPOT.kind.tables({}),
    retry: retryFor(10_000),
    reconcileMs: 500,
  })
  onTestFinished(() => platform.close())
  const other = createService({ platform, store: service.store })
  const authenticate = createAuthenticator(other)
  const there = clientOf(inProcessTransport(other, () => authenticate(adminKey)))
  const updated = await there.leads.update({ LeadID, FieldsToUpdate: { LastName: 'Lovelace' }, IfRevision: Revision })
  expect(updated.Revision).not.toBe(Revision)
  await expect(crm.leads.delete({ LeadID, IfRevision: Revision })).rejects.toMatchObject({ code: 'conflict' })
})
