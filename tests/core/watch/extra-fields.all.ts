import { describe, expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../../src/contract/client/client.ts'
import { createAuthenticator } from '../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import { createService, DEFAULT_WATCH } from '../../../src/core/service.ts'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import { accountsOn } from '../../support/accounts.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { type Crm, overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'

interface Made {
  /** How a field of leads is made in the CRM, and a lead's value of it set. */
  readonly define: readonly [path: string, body: object]
  readonly set: (id: string) => readonly [method: string, path: string, body: object]
}

const CRMS: readonly [string, Crm, Made][] = [
  [
    'espocrm',
    ESPOCRM,
    {
      define: ['/api/v1/Admin/fieldManager/Lead', { name: 'color', type: 'varchar', label: 'Color' }],
      set: (id) => ['PUT', `/api/v1/Lead/${id}`, { cColor: 'red' }],
    },
  ],
  [
    'hubspot',
    HUBSPOT,
    {
      define: ['/crm/v3/properties/contacts', { name: 'color', label: 'Color', type: 'string', fieldType: 'text', groupName: 'contactinformation' }],
      set: (id) => ['PATCH', `/crm/v3/objects/contacts/${id}`, { properties: { color: 'red' } }],
    },
  ],
]

describe.each(CRMS)('a field that is made in %s later', (_name, crm, { define, set }) => {
  test('is in no row of the mirror until all of them have it: the CRM answers until then, and nothing is announced', async () => {
    const connection = await overCrm(crm, { isWatched: true })
    onTestFinished(() => connection.close())
    const { service, simulator, adminKey } = connection
    const { store, platforms, now } = service
    const ask = async (method: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json', ...(await crm.headers(simulator.url)) }
      const answer = await fetch(`${simulator.url}${path}`, { method, headers, body: JSON.stringify(body) })
      expect([answer.status, await answer.text()]).toEqual([expect.toSatisfy((status: number) => status < 300), expect.any(String)])
    }
    const here = connection.signIn(adminKey)
    const { LeadID } = await here.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    await here.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    const signal = new AbortController().signal
    await watchWorkspace(service, 1, signal)

    await ask('POST', ...define)
    await ask(...set(LeadID))
    // Longer ago than polls go back.
    await simulator.advance(3 * 3_600_000)
    await watchWorkspace(service, 1, signal)
    const { NextCursor } = await here.events.getMany({ Limit: 1000 })

    const platform = await otherClient(crm, simulator.url)
    onTestFinished(() => platform.close())
    const restarted = createService({ platform, store, accounts: accountsOn(store), platforms, now, watch: DEFAULT_WATCH })
    const authenticate = createAuthenticator(restarted)
    const there = clientOf(inProcessTransport(restarted, () => authenticate(adminKey)))
    const red = async () => {
      const { Records, AsOf } = await there.leads.getMany({ Filters: { Color: 'red' } as never, Select: ['LeadID', 'Color' as never] })
      return { Records, isMirror: AsOf !== undefined }
    }
    const mirror = async () => (await there.connections.getMirror()).RecordTypes.find(({ RecordType }) => RecordType === 'Lead')?.Complete
    expect([await red(), await mirror()]).toEqual([{ Records: [{ LeadID, Color: 'red' }], isMirror: false }, false])

    await watchWorkspace(restarted, 1, signal)
    await expect.poll(red).toEqual({ Records: [{ LeadID, Color: 'red' }], isMirror: true })
    expect(await mirror()).toBe(true)
    expect((await there.events.getMany({ After: NextCursor })).Events).toEqual([])
  })
})
