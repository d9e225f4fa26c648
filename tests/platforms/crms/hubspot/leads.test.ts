import { describe, expect, test } from 'vitest'
import type { Table } from '../../../../src/platforms/crms/engine/tables.ts'
import { ADA, all, bodyOf, good, openAccount } from './open-account.ts'

const open = () => openAccount({ options: { leads: 'lead' } })

describe('leads that are objects of their own', () => {
  test('a lead is made about a contact, and has its fields', async () => {
    const { driver, sent } = await open()
    expect(driver.supports.fields.Lead?.Status?.closed).toEqual(['Open', 'Attempting', 'Connected', 'Qualified', 'Disqualified'])
    const [lead] = good(await driver.create('Lead', [{ ...ADA, Status: 'Attempting' }])) as { LeadID: string }[]
    expect(lead).toMatchObject({ ...ADA, Status: 'Attempting', OwnerID: 'nobody' })
    const made = sent.filter(({ method, path }) => method === 'POST' && /objects\/2026-03\/(contacts|leads)$/.test(path)).map(bodyOf)
    expect(made).toMatchObject([
      { properties: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com', phone: ADA.Phone }, associations: [] },
      {
        properties: { hs_lead_name: 'Ada Lovelace', hs_pipeline: 'lead-pipeline-id', hs_pipeline_stage: 'attempting-stage-id' },
        associations: [{ to: { id: expect.any(String) }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 578 }] }],
      },
    ])
    expect(await driver.get('Lead', [lead?.LeadID as string])).toEqual([lead])
    expect(await all(driver, 'Lead')).toEqual([lead])
    expect(await all(driver, 'Lead', { where: [{ field: 'Status', family: 'text', operator: 'eq', value: 'Attempting' }] })).toEqual([lead])
    expect(driver.narrows('Lead', { field: 'Email', family: 'text', operator: 'eq', value: 'ada@example.com' })).toBe('not')
  })

  test('what is changed reaches the contact and the lead', async () => {
    const { driver, simulator } = await open()
    const [lead] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
    const id = lead?.LeadID as string
    const changes = { LastName: 'King', Phone: null, Status: 'Connected' }
    expect(await driver.update('Lead', [{ id, changes, before: lead as never }])).toEqual([true])
    expect(await driver.get('Lead', [id])).toMatchObject([{ ...ADA, ...changes }])
    const answer = await fetch(`${simulator.url}/crm/objects/2026-03/leads/${id}?properties=hs_lead_name`, { headers: { authorization: 'Bearer simulator' } })
    expect(await answer.json()).toMatchObject({ properties: { hs_lead_name: 'Ada King' } })
    expect(await driver.update('Lead', [{ id, changes: { Status: 'Qualified' }, before: lead as never }])).toEqual([true])
    expect(await driver.update('Lead', [{ id: '999', changes: { Status: 'Qualified' }, before: {} }])).toEqual([false])
    expect(await driver.delete('Lead', [id])).toEqual([true])
    expect(await driver.get('Lead', [id])).toEqual([])
    expect((simulator.simulated.state().records as { contacts: number }).contacts).toBe(1)
  })

  test('a contact with the same address is taken, and given what it lacks', async () => {
    const { driver, simulator } = await open()
    const ann = { FirstName: 'Ann', LastName: 'One', Email: 'a@example.com' }
    good(await driver.create('Lead', [ann]))
    const [lead] = good(await driver.create('Lead', [{ ...ann, Email: 'A@example.com', Phone: '+442079460958' }])) as { LeadID: string }[]
    expect(lead).toMatchObject({ ...ann, Phone: '+442079460958' })
    expect(await driver.get('Lead', [lead?.LeadID as string])).toEqual([lead])
    // The same number in another way is no other.
    expect(good(await driver.create('Lead', [{ ...ann, Phone: '+44 20 7946-0958' }]))).toMatchObject([{ Phone: '+44 20 7946-0958' }])
    expect(simulator.simulated.state().records).toMatchObject({ contacts: 1, leads: 3 })
  })

  test('a contact with the same address that says something else is left alone, and nothing is created', async () => {
    const { driver, simulator, sent } = await open()
    good(await driver.create('Lead', [{ FirstName: 'Ann', LastName: 'One', Email: 'a@example.com', Phone: '+441' }]))
    sent.length = 0
    const bea = { FirstName: 'Bea', LastName: 'One', Email: 'a@example.com', Phone: '+442' }
    expect(await driver.create('Lead', [bea])).toMatchObject([
      {
        code: 'conflict',
        message: expect.stringMatching(/another FirstName, Phone\./),
        errors: [
          { field: 'FirstName', code: 'conflict' },
          { field: 'Phone', code: 'conflict' },
        ],
        hint: expect.stringContaining('Email'),
      },
    ])
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /crm/objects/2026-03/contacts/batch/read'])
    expect(await all(driver, 'Lead')).toMatchObject([{ FirstName: 'Ann', Phone: '+441' }])
    expect(simulator.simulated.state().records).toMatchObject({ contacts: 1, leads: 1 })
  })

  test('those of one batch that are about the same person are held against each other, in their order', async () => {
    const { driver, simulator } = await open()
    const ada = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }
    const answers = await driver.create('Lead', [
      ada,
      { FirstName: 'Augusta', LastName: 'King', Email: 'ADA@example.com' },
      { FirstName: 'Grace', LastName: 'Hopper' },
      { ...ada, Phone: '+441' },
      { ...ada, Phone: '+442' },
    ])
    expect(answers).toMatchObject([
      { LastName: 'Lovelace', Phone: null },
      { code: 'conflict', errors: [{ field: 'FirstName' }, { field: 'LastName' }] },
      { LastName: 'Hopper', Email: null },
      { LastName: 'Lovelace', Phone: '+441' },
      { code: 'conflict', errors: [{ field: 'Phone' }] },
    ])
    expect(simulator.simulated.state().records).toMatchObject({ contacts: 2, leads: 3 })
  })

  test('a contact that was given something for a lead which is refused has it no more', async () => {
    const { driver } = await open()
    good(await driver.create('Lead', [{ FirstName: 'Ann', LastName: 'One', Email: 'a@example.com' }]))
    const refused = await driver.create('Lead', [{ FirstName: 'Ann', LastName: 'One', Email: 'a@example.com', Phone: '+441', OwnerID: '123' }])
    expect(refused).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'OwnerID' }] }])
    expect(await all(driver, 'Lead')).toMatchObject([{ Email: 'a@example.com', Phone: null }])
  })

  test('what the configuration adds does not speak against a contact that says something else', async () => {
    const { driver, simulator } = await openAccount({
      options: { leads: 'lead' },
      tables: (tables) => ({ ...tables, Lead: { ...(tables.Lead as Table), defaults: { 'contact.company': 'Acme' } } }),
    })
    const headers = { authorization: 'Bearer simulator', 'content-type': 'application/json' }
    const company = async (email: string) => {
      const answer = await fetch(`${simulator.url}/crm/objects/2026-03/contacts/${email}?idProperty=email&properties=company`, { headers })
      return ((await answer.json()) as { properties: { company: string } }).properties.company
    }
    const body = JSON.stringify({ properties: { firstname: 'Ann', email: 'a@example.com', company: 'Navy' } })
    await fetch(`${simulator.url}/crm/objects/2026-03/contacts`, { method: 'POST', headers, body })
    const leads = [
      { FirstName: 'Ann', LastName: 'One', Email: 'a@example.com' },
      { FirstName: 'Bea', LastName: 'Two', Email: 'b@example.com' },
    ]
    expect(good(await driver.create('Lead', leads))).toMatchObject(leads)
    expect([await company('a@example.com'), await company('b@example.com')]).toEqual(['Navy', 'Acme'])
  })

  test('a contact is not left behind by a lead that is refused', async () => {
    const { driver, simulator } = await open()
    const answers = await driver.create('Lead', [{ ...ADA, OwnerID: '123' }])
    expect(answers).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'OwnerID' }] }])
    const refused = await driver.create('Lead', [{ FirstName: 'Bad', LastName: 'Address', Email: 'no address' }])
    expect(refused).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'Email' }] }])
    expect(simulator.simulated.state().records).toMatchObject({ contacts: 0, leads: 0 })
  })

  test('notes and campaigns are those of the lead', async () => {
    const { driver } = await open()
    const [lead] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
    const id = lead?.LeadID as string
    good(await driver.create('Note', [{ RecordID: id, Note: 'Called.' }], 'Lead'))
    const where = [{ field: 'RecordID', family: 'text', operator: 'eq', value: id }] as const
    expect(await all(driver, 'Note', { where, on: 'Lead' })).toMatchObject([{ Note: 'Called.', RecordID: id }])
    const [campaign] = good(await driver.create('Campaign', [{ CampaignName: 'Spring' }])) as { CampaignID: string }[]
    const CampaignID = campaign?.CampaignID as string
    good(await driver.create('Membership', [{ LeadID: id, CampaignID }]))
    expect(await driver.get('Membership', [`${id}:${CampaignID}`])).toHaveLength(1)
  })
})
