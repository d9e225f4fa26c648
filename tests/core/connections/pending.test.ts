import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, test } from 'vitest'
import { APP, allow, simulate, startConnectingService } from '../../support/connected.ts'

test('a pending connection is not in use, whatever is wanted of it, until it is connected', async () => {
  const [{ crm }, espocrm, hubspot] = [await startConnectingService(), await simulate(simulateEspoCrm), await simulate(simulateHubSpot)]
  const waiting = { Platform: 'hubspot', Address: hubspot.url, SignIn: 'browser', Secrets: APP } as const
  const { ConnectionID: used } = await crm.connections.create({ Platform: 'espocrm', Address: espocrm.url, Secrets: { apiKey: 'simulator' } })
  const inUse = async () => (await crm.connections.getMany({ Filters: { InUse: true } })).Records.map(({ ConnectionID }) => ConnectionID)

  const { ConnectionID, ...made } = await crm.connections.create(waiting)
  expect(made).toMatchObject({ State: 'pending', InUse: false, UseWhenConnected: true })
  const update = (InUse: boolean) => crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse } })
  expect(await update(false)).toMatchObject({ InUse: false, UseWhenConnected: false })
  expect(await update(true)).toMatchObject({ InUse: false, UseWhenConnected: true })
  const { ConnectionID: deleted } = await crm.connections.create(waiting)
  await crm.connections.delete({ ConnectionID: deleted })
  expect(await inUse()).toEqual([used])

  expect(await crm.connections.complete(await allow(crm, ConnectionID))).toMatchObject({ State: 'connected', InUse: true, UseWhenConnected: false })
  expect(await inUse()).toEqual([ConnectionID])
})
