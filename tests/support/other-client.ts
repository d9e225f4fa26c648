import { retryFor } from '../../src/core/call/retry.ts'
import { openCrmPlatform } from '../../src/platforms/crms/engine/open.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import type { Crm } from './crms.ts'

/** Another client of a simulated account, which the connector knows nothing of. Its requests are retried for so long. */
export function otherClient({ kind, secrets, options = {} }: Crm, address: string, retryMs = 1_000): Promise<Platform> {
  return openCrmPlatform(kind, {
    address,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options },
    secrets: Object.fromEntries(secrets.map((name) => [name, 'simulator'])),
    tables: kind.tables(options),
    retry: retryFor(retryMs, { firstMs: 5, longestMs: 100 }),
    reconcileMs: 100,
  })
}
