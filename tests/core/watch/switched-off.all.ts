import { expect, onTestFinished, test } from 'vitest'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import { processOn, simulate } from '../../support/connected.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { otherClient } from '../../support/other-client.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'
import { during } from './during.ts'

const [LAG_MS, QUARTER_MS] = [10_000, 15 * 60_000]
const { signal } = new AbortController()

test.for([
  ['salesforce', SALESFORCE],
  ['espocrm', ESPOCRM],
] as const)(
  'what is changed in %s once it is not watched any more is announced when it is again, whatever a poll has read by then',
  async ([Platform, kind]) => {
    const { service, crm } = await processOn(await (SHARED_STORES.sqlite as () => Promise<SharedStore>)())
    const simulator = await simulate(kind.simulate)
    const other = await otherClient(kind, simulator.url)
    onTestFinished(() => other.close())
    const Secrets = Object.fromEntries(kind.secrets.map((secret) => [secret, 'simulator']))
    const { ConnectionID } = await crm.connections.create({ Platform, Address: simulator.url, Secrets })
    const setWatch = (Watch: boolean) => crm.connections.update({ ConnectionID, FieldsToUpdate: { Watch } })
    const poll = () => watchWorkspace(service, 1, signal)
    const created = async () => {
      const { Events } = await crm.events.getMany({ Limit: 1000 })
      return Events.flatMap(({ Type, RecordID }) => (Type === 'lead.created' ? [RecordID] : []))
    }
    await poll()
    await simulator.advance(QUARTER_MS)
    const ids: string[] = []
    const meanwhile = async () => {
      await setWatch(false)
      ids.push((await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'Open' }))).LeadID as string)
      await simulator.advance(LAG_MS)
    }
    for (let place = 0; await during(simulator, place, poll, meanwhile); place++) {
      expect(await created()).toEqual(ids.slice(0, -1))
      await setWatch(true)
      await poll()
      expect(await created()).toEqual(ids)
    }
    expect(ids.length).toBeGreaterThan(10)
  },
)
