import { simulateSalesforce } from 'crm-simulators/salesforce'
import { describe, expect, test } from 'vitest'
import { APP, allow, connect, processOn, refusalOf, simulate } from '../../support/connected.ts'
import { plainServer } from '../../support/plain-server.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'

describe.each(Object.keys(SHARED_STORES))('a connection that a person has allowed, on %s', (name) => {
  const make = SHARED_STORES[name] as () => Promise<SharedStore>
  const prepared = async () => {
    const shared = await make()
    const [{ crm }, simulator] = [await processOn(shared), await simulate(simulateSalesforce)]
    return { shared, crm, simulator, ConnectionID: await connect(crm, 'salesforce', simulator) }
  }

  test('sends its tokens nowhere else than where they were granted', async () => {
    const { crm, simulator, ConnectionID } = await prepared()
    const other = await plainServer(() => ({ status: 400, body: {} }))
    const Options = { loginUrl: other.origin }
    expect(await refusalOf(crm.connections.update({ ConnectionID, FieldsToUpdate: { Options, Secrets: APP } }))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('granted at another address'),
    })
    simulator.simulated.tokens?.expire()
    expect((await crm.leads.getMany({})).Records).toEqual([])
    expect(other.requests).toEqual([])
  })

  test('keeps secrets, tables and options only once they were tried', async () => {
    const { crm, simulator, ConnectionID } = await prepared()
    const edit = (FieldsToUpdate: object) => crm.connections.update({ ConnectionID, FieldsToUpdate })
    expect(await refusalOf(edit({ Secrets: { clientSecret: 'wrong' } }))).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'FieldsToUpdate.Secrets' }],
    })
    await refusalOf(edit({ Tables: { Lead: { fields: { Email: 'NoField__c' } } } }))
    // The app stays the same where only its secret is replaced.
    expect(await edit({ Secrets: { clientSecret: APP.clientSecret } })).toMatchObject({ State: 'connected', SecretNames: ['clientId', 'clientSecret'] })
    simulator.simulated.tokens?.expire()
    expect((await crm.leads.getMany({})).Records).toEqual([])
  })

  test('whose secrets do not open is no longer used, or gets others and is allowed again', async () => {
    const { shared, ConnectionID } = await prepared()
    const { crm } = await processOn(shared, 'default', Buffer.alloc(32, 8))
    expect(await refusalOf(crm.leads.getMany({}))).toMatchObject({ code: 'platform_unavailable' })
    expect(await crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse: false } })).toMatchObject({ InUse: false })
    expect((await crm.leads.getMany({})).Records).toEqual([])
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse: true, Secrets: APP } })
    await crm.connections.complete(await allow(crm, ConnectionID))
    expect((await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })).LeadID).toMatch(/^00Q/)
  })
})
