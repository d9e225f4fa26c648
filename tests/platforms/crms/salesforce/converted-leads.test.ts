import type { Simulate, WireAnswer } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import jsforce from 'jsforce'
import { expect, onTestFinished, test } from 'vitest'
import type { Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { TABLES } from '../../../../src/platforms/crms/salesforce/tables.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { overCrm } from '../../../support/crms.ts'
import { account, create, one } from './account.ts'

const { open, simulator, requests } = account()

const ADA: StoredRecord = { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }
const GRACE: StoredRecord = { FirstName: 'Grace', LastName: 'Hopper', Status: 'Open' }

/** Converts a lead as a person would, by a client that others wrote. */
async function convert(leadId: string): Promise<void> {
  const connection = new jsforce.Connection({ instanceUrl: simulator().url, accessToken: 'simulator', version: '60.0' })
  const result = await connection.soap.convertLead({ leadId, convertedStatus: 'Closed - Converted', doNotCreateOpportunity: false } as never)
  expect(result).toMatchObject({ success: true, leadId, contactId: expect.stringMatching(/^003/), opportunityId: expect.stringMatching(/^006/) })
}

test('a converted lead can be read and deleted, and is not changed: nothing is sent', async () => {
  const driver = await open()
  const id = await create(driver, 'Lead', ADA)
  await convert(id)
  const before = (await one(driver, 'Lead', id)) as StoredRecord
  expect(before).toMatchObject({ LeadID: id, Status: 'Closed - Converted' })
  requests.length = 0
  const [refused] = await driver.update('Lead', [{ id, changes: { Phone: '1' }, before }])
  expect(refused).toMatchObject({ code: 'platform_rejected', message: expect.stringContaining('converted'), hint: expect.stringContaining('contact') })
  expect(requests).toEqual([])
  // Another process has not seen that it was converted.
  const [late] = await (await open()).update('Lead', [{ id, changes: { Phone: '1' }, before }])
  expect(late).toMatchObject({ code: 'platform_rejected', hint: expect.stringContaining('contact') })
  expect(await driver.delete('Lead', [id])).toEqual([true])
})

const CONFIGURED: Tables = {
  ...TABLES,
  Lead: { ...TABLES.Lead, fields: { ...TABLES.Lead.fields, Converted: { name: 'IsConverted', kind: 'boolean', label: 'Converted', readOnly: true } } },
}

test('searches, counts and summaries leave converted leads out unless they are asked for', async () => {
  const driver = await open({ tables: CONFIGURED })
  const [ada, grace] = [await create(driver, 'Lead', ADA), await create(driver, 'Lead', GRACE)]
  await convert(ada)
  const found = async (...where: Parameters<typeof driver.find>[1]['where']) =>
    (await driver.find('Lead', { where, size: 10 })).records.map(({ LeadID }) => LeadID)
  const converted = { field: 'Converted', family: 'boolean', operator: 'eq' } as const
  expect(await found()).toEqual([grace])
  expect(await found({ field: 'FirstName', family: 'text', operator: 'eq', value: 'Ada' })).toEqual([])
  expect(await found({ ...converted, value: true })).toEqual([ada])
  expect(await found({ ...converted, value: false })).toEqual([grace])
  expect(await found({ field: 'Status', family: 'text', operator: 'eq', value: 'Closed - Converted' })).toEqual([ada])
  expect(await found({ field: 'LeadID', family: 'text', operator: 'in', value: [ada, grace] })).toEqual([ada, grace])
  expect(await driver.count('Lead', { where: [] })).toBe(1)
  const tally = await driver.tally?.('Lead', { where: [], today: '2026-01-01', soon: '2026-02-01' })
  expect(tally?.states).toMatchObject([{ state: 'Open', count: 1 }])
})

test('where the account does not show which leads were converted, searches show all of them', async () => {
  simulator().faults.add('field-security=Lead.IsConverted')
  const driver = await open()
  const id = await create(driver, 'Lead', ADA)
  await convert(id)
  expect(await driver.count('Lead', { where: [] })).toBe(1)
})

test('a lead whose answer was lost, and which a flow has converted at once, is not made twice', async () => {
  const simulate: Simulate = (world) => {
    const simulated = simulateSalesforce(world)
    return {
      ...simulated,
      answer(request) {
        const answer = simulated.answer(request) as WireAnswer
        if (request.method !== 'POST' || !request.path.endsWith('/sobjects/Lead')) return answer
        const { id } = answer.body as { id: string }
        const convert = `<convertLead><leadConverts><leadId>${id}</leadId><convertedStatus>Closed - Converted</convertedStatus></leadConverts></convertLead>`
        const envelope = `<Envelope><Header><sessionId>simulator</sessionId></Header><Body>${convert}</Body></Envelope>`
        simulated.answer({ ...request, path: '/services/Soap/u/62.0', body: envelope })
        return answer
      },
    }
  }
  const over = await overCrm({ ...SALESFORCE, simulate })
  onTestFinished(over.close)
  over.simulator.faults.add('drop-after=1x:POST /services/data/v62.0/sobjects/Lead')
  const crm = over.signIn(over.adminKey)
  for (let attempt = 0; attempt < 2; attempt++) {
    const lead = crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' }, { idempotencyKey: 'ada' })
    await expect(lead).rejects.toMatchObject({ code: 'outcome_unknown', message: expect.stringContaining('00Q') })
  }
  expect(over.simulator.simulated.state()).toMatchObject({ records: { Lead: 1, Contact: 1 } })
})
