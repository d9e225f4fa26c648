import type { CrmSettings } from '../config/crm-settings.ts'
import { sharedAccount } from '../config/shared-accounts.ts'
import { CrmError, type Fault } from '../contract/errors.ts'
import { retryFor } from '../core/call/retry.ts'
import { DriverError, failureOf } from '../platforms/crms/engine/errors.ts'
import { openCrmPlatform } from '../platforms/crms/engine/open.ts'
import type { TakeFromRateLimit } from '../platforms/crms/engine/rate-limits.ts'
import type { Failure, Platform } from '../platforms/platform.ts'
import { type Prepared, prepareCrm } from './crms.ts'
import { openInAnyCase } from './late-crm.ts'
import { RequestCounts } from './request-counts.ts'

export interface HowToOpen {
  /** Whether one that is down is opened later. */
  readonly inAnyCase?: boolean
  /** The rate limits that all processes of a store share. */
  readonly takeFromRateLimit?: TakeFromRateLimit
  /** Counts the requests that are sent. */
  readonly counts?: RequestCounts
}

/** The openers of these CRMs, by address. Throws every fault of their settings at once, before anything is sent. */
export async function openCrms(
  crms: readonly (readonly [url: string, settings: CrmSettings])[],
  { inAnyCase = false, takeFromRateLimit = () => undefined, counts = new RequestCounts() }: HowToOpen = {},
): Promise<Map<string, () => Promise<Platform>>> {
  const faults: Fault[] = []
  const openers = new Map<string, () => Promise<Platform>>()
  const accounts = new Map<string, string>()
  for (const [url, settings] of crms) {
    const prepared = await prepareCrm(settings, faults)
    const opening = { ...prepared, opening: { ...prepared.opening, takeFromRateLimit, onRequest: () => counts.add(url) } }
    const open = () => openCrm(url, settings, opening, accounts)
    openers.set(url, inAnyCase ? () => openInAnyCase(settings.name, url, open) : open)
  }
  if (faults.length === 0) return openers
  throw new CrmError('invalid_input', `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: ${faults[0]?.message}`, {
    errors: faults,
  })
}

/** Opens a CRM. `accounts` has the addresses of those that are open, by the accounts that they lead to. */
async function openCrm(url: string, { retryMs, settleMs }: CrmSettings, { kind, opening }: Prepared, accounts: Map<string, string>): Promise<Platform> {
  try {
    const platform = await openCrmPlatform(kind, { ...opening, retry: retryFor(retryMs), reconcileMs: settleMs })
    const account = platform.account === undefined ? url : `${platform.name} ${platform.account}`
    const other = accounts.get(account) ?? url
    if (other !== url) {
      await platform.close()
      throw new DriverError('invalid_input', sharedAccount(other, url), { hint: 'Give each workspace an account of its own.' })
    }
    accounts.set(account, url)
    return platform
  } catch (error) {
    const { message, errors, hint = HINT, retryAfter }: Failure = failureOf(error) ?? { code: 'internal', message: (error as Error).message }
    // `unauthenticated` is kept here: the admin reads this message, and can correct the secrets.
    const code = error instanceof DriverError ? error.code : 'internal'
    throw new CrmError(code, `The platform ${url} cannot be opened: ${message}`, {
      cause: error,
      hint,
      ...(errors && { errors }),
      ...(retryAfter !== undefined && { retryAfter }),
    })
  }
}

const HINT = 'Run crm doctor: it checks the account and reports what is missing.'
