import { describe, expect, test } from 'vitest'
import { ADA, all, bodyOf, good, openAccount } from './open-account.ts'

const open = () => openAccount({ options: { leads: 'lead' } })

describe('leads that are objects of their own', () => {
  test('a lead is made about a contact, and has its fields', async () => {
    const { wire, sent } = await open()
    expect(wire.supports.fields.Lead?.Status?.closed).toEqual(['Open', 'Attempting', 'Connected', 'Qualified', 'Disqualified'])
    const [lead] = good(await wire.create('Lead', [{ ...ADA, Status: 'Attempting' }])) as { LeadID: string }[]
    expect(lead).toMatchObject({ ...ADA, Status: 'Attempting', OwnerID: 'nobody' })
    const made = sent.filter(({ method, path }) => method === 'POST' && /objects\/(contacts|leads)$/.test(path)).map(bodyOf)
    expect(made).toMatchObject([
      { properties: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com', phone: ADA.Phone }, associations: [] },
      {
        properties: { hs_lead_name: 'Ada Lovelace', hs_pipeline: 'lead-pipeline-id', hs_pipeline_stage: 'attempting-stage-id' },
        associations: [{ to: { id: expect.any(String) }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 578 }] }],
      },
    ])
    expect(await wire.get('Lead', [lead?.LeadID as string])).toEqual([lead])
    expect(await all(wire, 'Lead')).toEqual([lead])
    expect(await all(wire, 'Lead', { where: [{ field: 'Status', family: 'text', operator: 'eq', value: 'Attempting' }] })).toEqual([lead])
    expect(wire.narrows('Lead', { field: 'Email', family: 'text', operator: 'eq', value: 'ada@example.com' })).toBe('not')
  })

  test('what is changed reaches the contact and the lead', async () => {
    const { wire, simulator } = await open()
    const [lead] = good(await wire.create('Lead', [ADA])) as { LeadID: string }[]
    const id = lead?.LeadID as string
    const changes = { LastName: 'King', Phone: null, Status: 'Connected' }
    expect(await wire.update('Lead', [{ id, changes, before: lead as never }])).toEqual([true])
    expect(await wire.get('Lead', [id])).toMatchObject([{ ...ADA, ...changes }])
    const answer = await fetch(`${simulator.url}/crm/v3/objects/leads/${id}?properties=hs_lead_name`, { headers: { authorization: 'Bearer simulator' } })
    expect(await answer.json()).toMatchObject({ properties: { hs_lead_name: 'Ada King' } })
    expect(await wire.update('Lead', [{ id, changes: { Status: 'Qualified' }, before: lead as never }])).toEqual([true])
    expect(await wire.update('Lead', [{ id: '999', changes: { Status: 'Qualified' }, before: {} }])).toEqual([false])
    expect(await wire.delete('Lead', [id])).toEqual([true])
    expect(await wire.get('Lead', [id])).toEqual([])
    expect((simulator.simulated.state().records as { contacts: number }).contacts).toBe(1)
  })

  test('a contact with the same address is taken, and not changed', async () => {
    const { wire, simulator } = await open()
    const answers = good(
      await wire.create('Lead', [
        { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' },
        { FirstName: 'Augusta', LastName: 'King', Email: 'ADA@example.com' },
        { FirstName: 'Grace', LastName: 'Hopper' },
      ]),
    )
    expect(answers).toMatchObject([{ LastName: 'Lovelace' }, { LastName: 'Lovelace' }, { LastName: 'Hopper', Email: null }])
    good(await wire.create('Lead', [{ FirstName: 'A', LastName: 'L', Email: 'ada@example.com' }]))
    expect(simulator.simulated.state().records).toMatchObject({ contacts: 2, leads: 4 })
  })

  test('a contact is not left behind by a lead that is refused', async () => {
    const { wire, simulator } = await open()
    const answers = await wire.create('Lead', [{ ...ADA, OwnerID: '123' }])
    expect(answers).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'OwnerID' }] }])
    const refused = await wire.create('Lead', [{ FirstName: 'Bad', LastName: 'Address', Email: 'no address' }])
    expect(refused).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'Email' }] }])
    expect(simulator.simulated.state().records).toMatchObject({ contacts: 0, leads: 0 })
  })

  test('notes and campaigns are those of the lead', async () => {
    const { wire } = await open()
    const [lead] = good(await wire.create('Lead', [ADA])) as { LeadID: string }[]
    const id = lead?.LeadID as string
    good(await wire.create('Note', [{ RecordID: id, Note: 'Called.' }], 'Lead'))
    const where = [{ field: 'RecordID', family: 'text', operator: 'eq', value: id }] as const
    expect(await all(wire, 'Note', { where, on: 'Lead' })).toMatchObject([{ Note: 'Called.', RecordID: id }])
    const [campaign] = good(await wire.create('Campaign', [{ CampaignName: 'Spring' }])) as { CampaignID: string }[]
    const CampaignID = campaign?.CampaignID as string
    good(await wire.create('Membership', [{ LeadID: id, CampaignID }]))
    expect(await wire.get('Membership', [`${id}:${CampaignID}`])).toHaveLength(1)
  })
})
