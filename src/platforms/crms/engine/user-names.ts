import { singleFlight } from '../../../helpers/single-flight.ts'
import type { UserNames } from '../../platform.ts'
import { DriverError } from './errors.ts'

const KEPT_MS = 600_000

/** The names of the CRM's users, read at most every ten minutes however many ask for them; none where it does not show them. */
export function keepUserNames(read: () => Promise<UserNames>): () => Promise<UserNames> {
  let kept: { readonly names: UserNames; readonly until: number } | undefined
  const refresh = singleFlight(async () => {
    const names = await read().catch((error: unknown): UserNames => {
      if (error instanceof DriverError && error.code === 'forbidden') return new Map()
      throw error
    })
    kept = { names, until: Date.now() + KEPT_MS }
    return names
  })
  return async () => (kept && Date.now() < kept.until ? kept.names : refresh())
}
