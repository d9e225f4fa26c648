import { retryFor } from '../../src/core/call/retry.ts'
import { openCrmPlatform } from '../../src/platforms/crms/engine/open.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import type { Crm } from './crms.ts'

/** Another client of a simulated account, which the connector knows nothing of. */
export function otherClient({ kind, secrets, options = {} }: Crm, address: string): Promise<Platform> {
  return openCrmPlatform(kind, {
    address,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options },
    secrets: Object.fromEntries(secrets.map((name) => [name, 'simulator'])),
    tables: kind.tables(options),
    retry: retryFor(1_000, { firstMs: 5, longestMs: 100 }),
    reconcileMs: 100,
  })
}
