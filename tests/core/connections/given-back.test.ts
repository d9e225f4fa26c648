import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, test } from 'vitest'
import type { CrmError } from '../../../src/contract/errors.ts'
import { erase } from '../../../src/core/journal/erasing.ts'
import { connect, processOn, simulate } from '../../support/connected.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'

const sqlite = SHARED_STORES.sqlite as () => Promise<SharedStore>

/** An account that a workspace has been let into. */
async function connected(workspace: string) {
  const shared = await sqlite()
  const [simulator, process] = [await simulate(simulateHubSpot), await processOn(shared, workspace)]
  const valid = () => (simulator.simulated.tokens?.list() ?? []).filter((token) => token.valid).length
  return { ...process, shared, simulator, valid, ConnectionID: await connect(process.crm, 'hubspot', simulator) }
}

const planOf = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: CrmError) => error.plan,
  )

test('a delete of a connection that waits to be confirmed, or is refused, leaves its tokens', async () => {
  const { crm, valid, ConnectionID } = await connected('default')
  const plan = await planOf(crm.connections.delete({ ConnectionID }, { confirm: true }))
  await expect(crm.connections.delete({ ConnectionID, IfRevision: 99 })).rejects.toMatchObject({ code: 'conflict' })
  expect(valid()).toBe(1)
  await crm.connections.delete({ ConnectionID }, { confirmation: plan?.Token ?? '' })
  expect(valid()).toBe(0)
})

test('the tokens of a workspace that is deleted are given back before it is erased', async () => {
  const { shared, valid } = await connected('acme')
  const { crm, service, store } = await processOn(shared)
  const [acme] = (await crm.workspaces.getMany({ Filters: { Name: 'acme' } })).Records
  const WorkspaceID = acme?.WorkspaceID ?? ''
  const plan = await planOf(crm.workspaces.delete({ WorkspaceID }))
  await erase(service)
  expect(valid()).toBe(1)
  await crm.workspaces.delete({ WorkspaceID }, { confirmation: plan?.Token ?? '' })
  await erase(service)
  expect(valid()).toBe(0)
  expect((await store.workspaces()).map(({ name }) => name)).toEqual(['default'])
})

test('a CRM that does not answer keeps no workspace from being erased', async () => {
  const { shared, simulator } = await connected('acme')
  const { crm, service, store } = await processOn(shared)
  const [acme] = (await crm.workspaces.getMany({ Filters: { Name: 'acme' } })).Records
  const WorkspaceID = acme?.WorkspaceID ?? ''
  const plan = await planOf(crm.workspaces.delete({ WorkspaceID }))
  await crm.workspaces.delete({ WorkspaceID }, { confirmation: plan?.Token ?? '' })
  simulator.faults.add('drop-before=1')
  await erase(service)
  expect((await store.workspaces()).map(({ name }) => name)).toEqual(['default'])
})
