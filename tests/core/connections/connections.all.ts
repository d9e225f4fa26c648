import { simulateHubSpot } from 'crm-simulators/hubspot'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { clientOf } from '../../../src/contract/client/client.ts'
import type { CrmError } from '../../../src/contract/errors.ts'
import { FIRST_WORKSPACE } from '../../../src/contract/records/workspace.ts'
import { localAdmin } from '../../../src/core/access/authenticate.ts'
import { createVault } from '../../../src/core/access/vault.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import type { Accounts } from '../../../src/core/connections/accounts.ts'
import { showConfigured } from '../../../src/core/connections/configured.ts'
import { tokenStore } from '../../../src/core/connections/tokens.ts'
import { createService } from '../../../src/core/service.ts'
import { accountsOn } from '../../support/accounts.ts'
import { APP, allow, type Client, connect, KEY, processOn, RedirectURI, simulate } from '../../support/connected.ts'
import { FAST } from '../../support/lane.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }
const SOON = { timeout: 60_000, interval: 50 }

const one = async (crm: Client, ConnectionID: string) => (await crm.connections.getMany({ Filters: { ConnectionID } })).Records[0]

describe.each(FAST ? ['sqlite'] : Object.keys(SHARED_STORES))('connections on %s', (name) => {
  const make = SHARED_STORES[name] as () => Promise<SharedStore>

  test('secrets are tried before they are kept, and neither shown nor stored in plain text', async () => {
    const [shared, { url: Address }] = [await make(), await simulate(simulateHubSpot)]
    const { crm } = await processOn(shared)
    const refusal = await crm.connections.create({ Platform: 'hubspot', Address, Secrets: { token: 'wrong-secret-token' } }).catch((error: CrmError) => error)
    expect(refusal).toMatchObject({ code: 'invalid_input', errors: [{ field: 'Secrets' }] })
    expect(JSON.stringify(refusal)).not.toContain('wrong-secret-token')
    const faulty = crm.connections.create({ Platform: 'hubspot', Address, Secrets: { tokn: 'x' }, Options: { lagg: '1' }, Tables: { Leed: {} } })
    await expect(faulty).rejects.toMatchObject({
      code: 'invalid_input',
      errors: [
        { field: 'Options.lagg', didYouMean: 'lag' },
        { field: 'Tables.Leed', didYouMean: 'Lead' },
        { field: 'Secrets.tokn', didYouMean: 'token' },
      ],
    })
    expect((await crm.connections.getMany({})).Records).toEqual([])

    const made = await crm.connections.create({ Platform: 'hubspot', Address, Secrets: { token: 'simulator' } })
    expect(made).toMatchObject({ State: 'connected', InUse: true, SecretNames: ['token'], Account: expect.any(String), Configured: false })
    expect(made).not.toHaveProperty('Secrets')
    const stored = JSON.stringify([await shared.ask('SELECT * FROM "Connection"'), await shared.ask('SELECT * FROM "Change"')])
    expect(stored).not.toContain('"simulator"')
    expect(stored).toContain('sealed:1:')
  })

  test('stored secrets go nowhere else than where they were given for', async () => {
    const [shared, simulator] = [await make(), await simulate(simulateSalesforce)]
    const { crm } = await processOn(shared)
    const { ConnectionID } = await crm.connections.create({ Platform: 'salesforce', Address: simulator.url, Secrets: APP })
    const [Address, loginUrl] = ['http://127.0.0.1:1', 'http://127.0.0.1:1']
    await expect(crm.call('update_connection', { ConnectionID, FieldsToUpdate: { Address } as object })).rejects.toMatchObject({ code: 'invalid_input' })
    const elsewhere = crm.connections.update({ ConnectionID, FieldsToUpdate: { Options: { loginUrl } } })
    await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'FieldsToUpdate.Secrets', code: 'required' }] })
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { Options: { loginUrl: simulator.url }, Secrets: APP } })
    expect(await one(crm, ConnectionID)).toMatchObject({ State: 'connected', Options: { loginUrl: simulator.url } })
  })

  test('a secret is entered without what was pasted with it, and one that no request can carry is refused at once', async () => {
    const [shared, { url: Address }] = [await make(), await simulate(simulateHubSpot)]
    const { crm } = await processOn(shared)
    for (const token of ['simul\nator', 'simul€ator'])
      await expect(crm.connections.create({ Platform: 'hubspot', Address, Secrets: { token } })).rejects.toMatchObject({ errors: [{ field: 'Secrets.token' }] })
    expect(await crm.connections.create({ Platform: 'hubspot', Address, Secrets: { token: ' simulator\n' } })).toMatchObject({ State: 'connected' })
  })

  test('a connection that waits stays as it was entered while another is edited, and takes over once it is allowed', async () => {
    const [shared, simulator, other] = [await make(), await simulate(simulateHubSpot), await simulate(simulateSalesforce)]
    const { crm } = await processOn(shared)
    const { ConnectionID: used } = await crm.connections.create({ Platform: 'salesforce', Address: other.url, Secrets: APP })
    const { ConnectionID: waiting } = await crm.connections.create({ Platform: 'hubspot', Address: simulator.url, SignIn: 'browser', Secrets: APP })
    await crm.connections.update({ ConnectionID: used, FieldsToUpdate: { Label: 'in use' } })
    expect([await one(crm, used), await one(crm, waiting)]).toMatchObject([{ InUse: true }, { InUse: false, UseWhenConnected: true, State: 'pending' }])
    await crm.connections.complete(await allow(crm, waiting))
    expect([await one(crm, used), await one(crm, waiting)]).toMatchObject([{ InUse: false }, { InUse: true, UseWhenConnected: false }])
    const another = crm.connections.update({ ConnectionID: waiting, FieldsToUpdate: { Secrets: { ...APP, clientId: 'another' } } })
    await expect(another).rejects.toMatchObject({ code: 'conflict' })
    await crm.connections.update({ ConnectionID: waiting, FieldsToUpdate: { Secrets: APP } })
    expect(await one(crm, waiting)).toMatchObject({ State: 'connected' })
    expect((await crm.leads.getMany({})).Records).toEqual([])
  })

  test('a workspace goes over to an account and back without a restart, in every process', async () => {
    const [shared, { url: Address }] = [await make(), await simulate(simulateHubSpot)]
    const [here, there] = [await processOn(shared), await processOn(shared)]
    const local = await here.crm.leads.create(ADA)
    await there.crm.leads.get({ LeadID: local.LeadID })
    const { ConnectionID } = await here.crm.connections.create({ Platform: 'hubspot', Address, Secrets: { token: 'simulator' } })
    const { LeadID } = await here.crm.leads.create(ADA)
    await vi.waitFor(async () => expect((await there.crm.leads.getMany({})).Records.map((lead) => lead.LeadID)).toEqual([LeadID]), SOON)
    await there.crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse: false } })
    await vi.waitFor(async () => expect((await here.crm.leads.getMany({})).Records.map((lead) => lead.LeadID)).toEqual([local.LeadID]), SOON)
    expect((await there.crm.leads.get({ LeadID: local.LeadID })).LeadID).toBe(local.LeadID)
  })

  test('a person allows it in a browser, once for each state and code', async () => {
    const [shared, simulator] = [await make(), await simulate(simulateSalesforce)]
    const { crm } = await processOn(shared)
    const { ConnectionID, State } = await crm.connections.create({ Platform: 'salesforce', Address: simulator.url, SignIn: 'browser', Secrets: APP })
    expect(State).toBe('pending')
    await crm.leads.create(ADA)
    expect(await crm.connections.test({ ConnectionID })).toMatchObject({ Good: false, Findings: [{ Name: 'Sign-in', Good: false }] })
    const answer = await allow(crm, ConnectionID)
    expect(await crm.connections.complete(answer)).toMatchObject({ State: 'connected', InUse: true, Reason: null })
    await expect(crm.connections.complete(answer)).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'State' }] })
    await expect(crm.connections.complete({ ...(await allow(crm, ConnectionID)), Code: answer.Code })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(crm.connections.complete({ State: 'guessed', Code: 'guessed' })).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await crm.leads.getMany({})).Records).toEqual([])
    expect(await crm.connections.test({ ConnectionID })).toMatchObject({ Good: true })
    const [grant] = simulator.simulated.tokens?.list() ?? []
    expect(JSON.stringify(await shared.ask('SELECT * FROM "ConnectionToken"'))).not.toContain(grant?.token)
    await crm.connections.delete({ ConnectionID })
    expect(simulator.simulated.tokens?.list().filter(({ valid }) => valid)).toEqual([])
    expect(await shared.ask('SELECT * FROM "ConnectionToken"')).toEqual([])
  })

  test('the state of one workspace is worth nothing in another, and no two share an account', async () => {
    const [shared, simulator] = [await make(), await simulate(simulateHubSpot)]
    const [{ crm }, other] = [await processOn(shared), await processOn(shared, 'other')]
    const { ConnectionID } = await crm.connections.create({ Platform: 'hubspot', Address: simulator.url, SignIn: 'browser', Secrets: APP })
    await expect(other.crm.connections.complete(await allow(crm, ConnectionID))).rejects.toMatchObject({ errors: [{ field: 'State' }] })
    await expect(other.crm.connections.authorize({ ConnectionID, RedirectURI })).rejects.toMatchObject({ code: 'not_found' })
    await crm.connections.complete(await allow(crm, ConnectionID))
    const again = other.crm.connections.create({ Platform: 'hubspot', Address: simulator.url, Secrets: { token: 'simulator' } })
    await expect(again).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('Another workspace') })
  })

  test('a connection that the CRM has revoked is broken, says so, and is restored when it is allowed again', async () => {
    const [shared, simulator] = [await make(), await simulate(simulateHubSpot)]
    const { crm } = await processOn(shared)
    const id = await connect(crm, 'hubspot', simulator)
    const { LeadID } = await crm.leads.create(ADA)
    simulator.faults.add('error=1x')
    await crm.leads.get({ LeadID })
    expect(await one(crm, id)).toMatchObject({ State: 'connected' })
    simulator.simulated.tokens?.revoke()
    const lasting = { code: 'platform_unavailable', retryable: false, retryAfter: undefined, hint: expect.stringContaining('crm connect') }
    await expect(crm.leads.get({ LeadID })).rejects.toMatchObject(lasting)
    await vi.waitFor(async () => expect(await one(crm, id)).toMatchObject({ State: 'broken', Reason: expect.any(String), Advice: expect.any(String) }), SOON)
    await expect((await processOn(shared)).crm.leads.get({ LeadID })).rejects.toMatchObject(lasting)
    await crm.connections.complete(await allow(crm, id))
    expect(await one(crm, id)).toMatchObject({ State: 'connected', Reason: null })
    expect((await crm.leads.get({ LeadID })).LeadID).toBe(LeadID)
    const { Events } = await crm.events.getMany({})
    expect(Events.map(({ Type }) => Type).filter((type) => type.startsWith('connection.'))).toEqual([
      'connection.created',
      'connection.connected',
      'connection.broken',
      'connection.restored',
    ])
  })

  test('of several processes one renews, and the token that replaces another is stored before it is used', async () => {
    const [shared, simulator] = [await make(), await simulate(simulateHubSpot)]
    const processes = await Promise.all([processOn(shared), processOn(shared), processOn(shared)])
    const [first] = processes
    await connect((first as (typeof processes)[number]).crm, 'hubspot', simulator)
    const { LeadID } = await (first as (typeof processes)[number]).crm.leads.create(ADA)
    await vi.waitFor(async () => Promise.all(processes.map(({ crm }) => crm.leads.get({ LeadID }))), SOON)
    simulator.faults.add('rotation')
    for (let round = 0; round < 5; round++) {
      simulator.simulated.tokens?.expire()
      await Promise.all(processes.flatMap(({ crm }) => Array.from({ length: 8 }, () => crm.leads.get({ LeadID }))))
    }
    const tokens = simulator.simulated.tokens?.list() ?? []
    expect(tokens.every(({ uses }) => uses <= 1)).toBe(true)
    expect(tokens.filter(({ valid }) => valid)).toHaveLength(1)
    expect(tokens).toHaveLength(6)
  })

  test('a refresh token among the secrets is kept with the tokens, since the CRM may replace it', async () => {
    const [shared, simulator] = [await make(), await simulate(simulateHubSpot)]
    const { crm, service } = await processOn(shared)
    const { ConnectionID: granting } = await crm.connections.create({
      Platform: 'hubspot',
      Address: simulator.url,
      SignIn: 'browser',
      InUse: false,
      Secrets: APP,
    })
    await crm.connections.complete(await allow(crm, granting))
    const given = (await tokenStore(service, FIRST_WORKSPACE, granting).read())?.refreshToken ?? ''
    simulator.faults.add('rotation')
    const Secrets = { ...APP, refreshToken: given }
    const { ConnectionID, SecretNames } = await crm.connections.create({ Platform: 'hubspot', Address: simulator.url, Secrets })
    expect(SecretNames).toEqual(['clientId', 'clientSecret', 'refreshToken'])
    const { LeadID } = await crm.leads.create(ADA)
    // The one that was given has been replaced: what else is changed is tried with the one that the store has.
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { Options: { dealPipeline: 'default' } } })
    simulator.simulated.tokens?.expire()
    expect((await crm.leads.get({ LeadID })).LeadID).toBe(LeadID)
    expect((simulator.simulated.tokens?.list() ?? []).every(({ uses }) => uses <= 1)).toBe(true)
  })

  test('secrets that do not open refuse calls about records, and can be replaced', async () => {
    const [shared, { url: Address }] = [await make(), await simulate(simulateHubSpot)]
    const first = await processOn(shared)
    const { ConnectionID } = await first.crm.connections.create({ Platform: 'hubspot', Address, Secrets: { token: 'simulator' } })
    const { crm } = await processOn(shared, 'default', Buffer.alloc(32, 9))
    await expect(crm.leads.getMany({})).rejects.toMatchObject({ code: 'platform_unavailable', message: expect.stringContaining('sealed with the key') })
    expect(await one(crm, ConnectionID)).toMatchObject({ State: 'connected' })
    await crm.connections.update({ ConnectionID, FieldsToUpdate: { Secrets: { token: 'simulator' } } })
    expect((await crm.leads.getMany({})).Records).toEqual([])
  })

  test('a workspace without an account, where the first one has a CRM, is administered and gets its own', async () => {
    const [shared, first, second] = [await make(), await simulate(simulateHubSpot), await simulate(simulateSalesforce)]
    const { store, service: local } = await processOn(shared, 'acme')
    const secrets = { token: 'simulator' }
    const platform = await (local.accounts as Accounts).open({ platform: 'hubspot', address: first.url, options: {}, tables: null, secrets })
    const service = createService({ platform, store, accounts: accountsOn(store), vault: createVault([KEY]) })
    onTestFinished(() => service.connections.close())
    const caller = await localAdmin(service, 'acme')
    const crm = clientOf(inProcessTransport(service, () => caller))
    await expect(crm.leads.getMany({})).rejects.toMatchObject({ code: 'unsupported', hint: expect.stringContaining('create_connection') })
    expect((await crm.users.getCurrent({})).Workspace).toBe('acme')
    await crm.connections.create({ Platform: 'salesforce', Address: second.url, Secrets: APP })
    expect((await crm.leads.create(ADA)).LeadID).toMatch(/^00Q/)
  })

  test('what the configuration connects is shown, and cannot be edited', async () => {
    const shared = await make()
    const { crm, service } = await processOn(shared)
    const configured = {
      workspace: 'default',
      platform: 'hubspot',
      address: null,
      account: 'hub 1',
      remark: null,
      mirrorUse: { watch: false, reads: 'crm' } as const,
    }
    await showConfigured(service, ['default'], [configured])
    await showConfigured(service, ['default'], [configured])
    const [shown, ...rest] = (await crm.connections.getMany({})).Records
    expect(rest).toEqual([])
    expect(shown).toMatchObject({ Platform: 'hubspot', Configured: true, InUse: true, State: 'connected', Watch: false, Reads: 'crm' })
    const ConnectionID = shown?.ConnectionID ?? ''
    for (const refused of [() => crm.connections.update({ ConnectionID, FieldsToUpdate: { Label: 'mine' } }), () => crm.connections.delete({ ConnectionID })])
      await expect(refused()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('configuration') })
    await showConfigured(service, ['default'], [])
    expect((await crm.connections.getMany({})).Records).toEqual([])
  })
})
