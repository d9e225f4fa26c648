import { onTestFinished } from 'vitest'
import { type Crm, clientOf } from '../../src/contract/client/client.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService, DEFAULT_WEBHOOK_SETTINGS, type Service, type WebhookSettings } from '../../src/core/service.ts'
import { type Courier, startCourier } from '../../src/core/webhooks/courier.ts'
import type { Store } from '../../src/platforms/store.ts'
import { temporarySqlite } from './in-process.ts'

export interface Delivering {
  readonly crm: Crm
  readonly service: Service
  readonly store: Store
  readonly troubles: unknown[]
  readonly told: string[]
  start(): Courier
}

/** A service on a new store whose webhooks may call this machine, with a short backoff. */
export async function delivering(settings: Partial<WebhookSettings> = {}, clock: { now?: () => Date } = {}): Promise<Delivering> {
  const store = await temporarySqlite()
  const service = createService({
    platform: store,
    store,
    ...clock,
    webhooks: { ...DEFAULT_WEBHOOK_SETTINGS, allowPrivate: true, timeoutMs: 60_000, backoffMs: 20, ...settings },
  })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const couriers: Courier[] = []
  const troubles: unknown[] = []
  const told: string[] = []
  onTestFinished(async () => {
    await Promise.all(couriers.map((courier) => courier.stop()))
    await store.close()
  })
  return {
    crm: clientOf(inProcessTransport(service, () => caller)),
    service,
    store,
    troubles,
    told,
    start() {
      const courier = startCourier(
        service,
        (what) => told.push(what),
        (error) => troubles.push(error),
      )
      couriers.push(courier)
      return courier
    },
  }
}
