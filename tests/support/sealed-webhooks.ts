import { onTestFinished } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { createVault } from '../../src/core/access/vault.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService, DEFAULT_WEBHOOK_SETTINGS } from '../../src/core/service.ts'
import { startCourier } from '../../src/core/webhooks/courier.ts'
import type { SharedStore } from './shared-stores.ts'

/** A process of its own on a store, with these keys; its webhooks may call this machine. */
export async function withKeys(shared: SharedStore, ...keys: readonly Buffer[]) {
  const store = await shared.open()
  const webhooks = { ...DEFAULT_WEBHOOK_SETTINGS, allowPrivate: true, backoffMs: 20 }
  const service = createService({ platform: store, store, vault: createVault(keys), webhooks })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const troubles: unknown[] = []
  const ending: (() => Promise<void>)[] = [() => store.close()]
  onTestFinished(async () => {
    for (const end of ending.reverse()) await end()
  })
  return {
    service,
    store,
    crm: clientOf(inProcessTransport(service, () => caller)),
    troubles,
    deliver() {
      const courier = startCourier(
        service,
        () => {},
        (error) => troubles.push(error),
      )
      ending.push(() => courier.stop())
      return courier
    },
  }
}
