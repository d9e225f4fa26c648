import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { CrmSettings } from '../config/crm-settings.ts'
import { sharedAccount } from '../config/shared-accounts.ts'
import { CrmError, type Fault } from '../contract/errors.ts'
import { retryFor } from '../core/call/retry.ts'
import type { KeptAccount } from '../core/connections/accounts.ts'
import { DriverError, failureOf } from '../platforms/crms/engine/errors.ts'
import { openCrmPlatform } from '../platforms/crms/engine/open.ts'
import type { TakeFromRateLimit } from '../platforms/crms/engine/rate-limits.ts'
import type { Failure, Platform } from '../platforms/platform.ts'
import { type Prepared, prepareCrm } from './crms.ts'
import { type LateCrm, openInAnyCase } from './late-crm.ts'
import { RequestCounts } from './request-counts.ts'

export interface HowToOpen {
  /** Set where one that is down is opened later: what was kept of the account at an address in the store. */
  readonly recall?: ((url: string, openedWith: string) => Promise<KeptAccount | undefined>) | undefined
  /** How one is opened later. */
  readonly late?: Pick<LateCrm, 'evenRefused' | 'isOffline'>
  /** The rate limits that all processes of a store share. */
  readonly takeFromRateLimit?: TakeFromRateLimit
  /** Counts the requests that are sent. */
  readonly counts?: RequestCounts
}

/** The openers of these CRMs, by address. Throws every fault of their settings at once, before anything is sent. */
export async function openCrms(
  crms: readonly (readonly [url: string, settings: CrmSettings])[],
  { recall, late = {}, takeFromRateLimit = () => undefined, counts = new RequestCounts() }: HowToOpen = {},
): Promise<Map<string, () => Promise<Platform>>> {
  const faults: Fault[] = []
  const openers = new Map<string, () => Promise<Platform>>()
  const accounts = new Map<string, string>()
  for (const [url, settings] of crms) {
    const prepared = await prepareCrm(settings, faults)
    const opening = { ...prepared, opening: { ...prepared.opening, takeFromRateLimit, onRequest: () => counts.add(url) } }
    const open = (openedWith?: string) => openCrm(url, settings, { ...opening, opening: { ...opening.opening, openedWith } }, accounts)
    openers.set(url, recall ? () => openLate(url, settings, prepared, open, { recall, late }) : () => open())
  }
  if (faults.length === 0) return openers
  throw new CrmError('invalid_input', `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: ${faults[0]?.message}`, {
    errors: faults,
  })
}

async function openLate(
  url: string,
  settings: CrmSettings,
  { kind: { name, canonicalId }, secrets }: Prepared,
  open: (openedWith: string) => Promise<Platform>,
  { recall, late }: Required<Pick<HowToOpen, 'late'>> & { readonly recall: NonNullable<HowToOpen['recall']> },
): Promise<Platform> {
  const openedWith = await digestOf(url, settings, secrets)
  return openInAnyCase({ name, url, canonicalId, openedWith, ...late, open: () => open(openedWith), recall: () => recall(url, openedWith) })
}

/** A digest of what a CRM is opened with, as those of passwords are made, since secrets are part of it and it is kept in the store. */
async function digestOf(url: string, { sections }: CrmSettings, secrets: Prepared['secrets']): Promise<string> {
  const text = JSON.stringify([sections.map(({ tables, options }) => ({ tables, options })), secrets.map(({ name, value }) => [name, value])])
  return ((await promisify(scrypt)(text, url, 24)) as Buffer).toString('base64url')
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
