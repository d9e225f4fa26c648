import { type Simulator, startSimulator } from 'crm-simulators'
import { expect, onTestFinished } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import type { CrmError } from '../../src/contract/errors.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { addWorkspace } from '../../src/core/access/new-workspace.ts'
import { createVault } from '../../src/core/access/vault.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService } from '../../src/core/service.ts'
import { accountsOn } from './accounts.ts'
import { decide } from './consent.ts'
import { SHARED_STORES, type SharedStore } from './shared-stores.ts'

/** The app that simulators know. */
export const APP = { clientId: 'simulator', clientSecret: 'simulator' }
export const RedirectURI = 'http://127.0.0.1:1/callback'
export const KEY = Buffer.alloc(32, 7)

/** A simulated CRM for the rest of the test. */
export async function simulate(...how: Parameters<typeof startSimulator>): Promise<Simulator> {
  const simulator = await startSimulator(...how)
  onTestFinished(() => simulator.close())
  return simulator
}

/** What a process of its own on a store has. */
export async function processOn(shared: SharedStore, workspace = 'default', sealing = KEY) {
  const store = await shared.open()
  const service = createService({ platform: store, store, accounts: accountsOn(store), vault: createVault([sealing]) })
  await bootstrap(service)
  if (workspace !== 'default' && !(await store.workspaces()).some(({ name }) => name === workspace)) await addWorkspace(service, workspace)
  const caller = await localAdmin(service, workspace)
  onTestFinished(async () => {
    await service.connections.close()
    await store.close()
  })
  return { service, store, caller, crm: clientOf(inProcessTransport(service, () => caller)) }
}

/** The same on a new SQLite file. */
export const startConnectingService = async () => processOn(await (SHARED_STORES.sqlite as () => Promise<SharedStore>)())

/** The error that a call is refused with. */
export const refusalOf = (call: Promise<unknown>): Promise<CrmError> =>
  call.then(
    () => expect.unreachable(),
    (error: CrmError) => error,
  )

export type Client = Awaited<ReturnType<typeof processOn>>['crm']

/** Sends a person to the CRM, who allows it, and comes back. */
export async function allow(crm: Client, ConnectionID: string) {
  const { Link } = await crm.connections.authorize({ ConnectionID, RedirectURI })
  const { searchParams } = await decide(Link)
  return { State: searchParams.get('state') ?? '', Code: searchParams.get('code') ?? '' }
}

export async function connect(crm: Client, Platform: 'hubspot' | 'salesforce', { url }: Simulator): Promise<string> {
  const { ConnectionID } = await crm.connections.create({ Platform, Address: url, SignIn: 'browser', Secrets: APP })
  await crm.connections.complete(await allow(crm, ConnectionID))
  return ConnectionID
}
