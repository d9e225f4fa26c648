import { startSimulator } from 'crm-simulators'
import { onTestFinished } from 'vitest'
import { CRM_SETTINGS_TABLE } from '../../src/config/crm-settings.ts'
import { clientOf } from '../../src/contract/client/client.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { retryFor } from '../../src/core/call/retry.ts'
import { createService } from '../../src/core/service.ts'
import { openCrmPlatform } from '../../src/platforms/crms/engine/open.ts'
import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import type { Crm } from './crms.ts'
import { StoppableClock } from './stoppable-clock.ts'

/** A service over a simulated CRM with the settings of a new installation, whose clocks are moved instead of waited for. */
export async function withMovedClock(crm: Crm) {
  const clock = new StoppableClock()
  clock.stop()
  const { now } = clock
  const simulator = await startSimulator(crm.simulate, { clock: now })
  const store = await openSqlite(':memory:', now)
  const options = crm.options ?? {}
  const { timeout, settle } = CRM_SETTINGS_TABLE

  /** What a process does when it starts: it knows nothing but what the store has. */
  async function start(own: Store) {
    const platform = await openCrmPlatform(crm.kind, {
      address: simulator.url,
      settings: { quotaFloor: 0, timeoutMs: timeout.number.fallback * 1000, options },
      secrets: Object.fromEntries(crm.secrets.map((name) => [name, 'simulator'])),
      tables: crm.kind.tables(options),
      retry: retryFor(1_000, { firstMs: 5, longestMs: 100 }),
      reconcileMs: settle.number.fallback * 1000,
      searchMs: 100,
    })
    const service = createService({ platform, store: own, now: () => new Date(now()) })
    await bootstrap(service)
    const caller = await localAdmin(service)
    return { crm: clientOf(inProcessTransport(service, () => caller)), service, close: () => platform.close() }
  }

  const processes: Awaited<ReturnType<typeof start>>[] = []
  onTestFinished(async () => {
    for (const process of processes) await process.close()
    await store.close()
    await simulator.close()
  })
  return {
    simulator,
    store,
    /** Starts a process, which may have a view of the store of its own. */
    async start(own: Store = store) {
      const process = await start(own)
      processes.push(process)
      return process
    },
    async pass(seconds: number): Promise<void> {
      clock.move(seconds * 1000)
      // What is due by now is done.
      await simulator.advance(0)
    },
  }
}
