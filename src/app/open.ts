import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { crmAddress } from '../config/crm-address.ts'
import type { Config } from '../config/settings.ts'
import { PLATFORM_ADDRESSES } from '../config/settings-table.ts'
import { CrmError } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
import { bootstrap, DEFAULT_WORKSPACE } from '../core/access/bootstrap.ts'
import { hasSealed } from '../core/access/sealed-records.ts'
import type { Vault } from '../core/access/vault.ts'
import type { Accounts, KeptAccount } from '../core/connections/accounts.ts'
import { type Configured, showConfigured } from '../core/connections/configured.ts'
import { recordCounts } from '../core/journal/forbidden-calls.ts'
import { createService, type Service } from '../core/service.ts'
import { recallAccount } from '../core/watch/kept-account.ts'
import { lazy } from '../helpers/lazy.ts'
import { CRM_NAMES, isPackage } from '../platforms/crms/names.ts'
import type { Platform } from '../platforms/platform.ts'
import type { Store } from '../platforms/store.ts'
import type { createAccounts } from './accounts.ts'
import { adminKeyFile, makeKeyFolder, secretKeyFile } from './key-files.ts'
import type { HowToOpen } from './open-crms.ts'
import { RequestCounts } from './request-counts.ts'
import { openVault } from './secret-keys.ts'
import { isPostgres, shownStore, sqlitePath } from './store-address.ts'

export interface Opened {
  readonly service: Service
  /** Where the admin's key is kept; undefined where the store is not in a file. */
  readonly keyFile: string | undefined
  /** The admin's key, if it was made or given at this start. */
  readonly key: string | undefined
  close(): Promise<void>
}

export interface HowToOpenService {
  readonly mustExist?: boolean | undefined
  /** Replaces the clock, which the demo uses to write records with past dates. */
  readonly now?: (() => number) | undefined
  /** Whether it watches CRMs. */
  readonly serves?: boolean
  /** Whether a CRM that cannot be opened is opened later; one that serves does so where it is down. With `offline` none is opened: of each is known what was kept of it. */
  readonly inAnyCase?: boolean | 'offline' | undefined
  /** Whether it leaves no key of the admin beside the store. */
  readonly keyless?: boolean | undefined
}

/** Opens the configured platforms and store, and assembles the service. A new store gets its first admin. */
export async function openService(
  config: Config,
  { mustExist = false, now, serves = false, inAnyCase = serves, keyless = false }: HowToOpenService = {},
): Promise<Opened> {
  const path = sqlitePath(config.store)
  if (mustExist && path !== undefined && !existsSync(path)) throw new CrmError('not_found', `There is no store at ${path}.`)
  const counts = new RequestCounts()
  const opened = new Map<string, Platform>()
  const isOffline = inAnyCase === 'offline'
  const how = { counts, isOffline, takeFromRateLimit: (...units: TakeUnits) => (opened.get(config.store) as Store | undefined)?.takeFromRateLimit(...units) }
  const openers = await platformOpeners(config, now, { ...(inAnyCase && { recall, late: { evenRefused: !serves, isOffline } }), ...how })

  async function open(url: string, setting: string): Promise<Platform> {
    const platform = opened.get(url) ?? (await (openers.get(url) ?? (() => openStore(url, setting, now)))())
    opened.set(url, platform)
    return platform
  }

  async function recall(url: string, openedWith: string): Promise<KeptAccount | undefined> {
    const [name = ''] = Object.entries(placesIn(config)).find(([, { platform }]) => platform === url) ?? []
    const store = (await open(config.store, 'CRM_STORE')) as Store
    const workspace = await store.workspace(name)
    return workspace && recallAccount(store.journal(workspace.number), openedWith)
  }

  let service: Service | undefined
  async function close() {
    if (service) {
      await recordCounts(service)
      await service.connections.close()
      await counts.stop(service.store)
    }
    for (const platform of opened.values()) await platform.close()
  }

  try {
    const platform = await open(config.platform, 'CRM_PLATFORM')
    // No CRM is one: the configuration refuses that.
    const store = (await open(config.store, 'CRM_STORE')) as Store
    const platforms = new Map<string, Platform>()
    for (const [name, { platform: url }] of Object.entries(config.workspaces)) platforms.set(name, await open(url, `workspaces.${name}.platform`))
    service = createService({
      platform,
      store,
      accounts: lateAccounts(config, how),
      publicUrl: config.publicUrl,
      vault: await vaultOf(config, store),
      platforms,
      settings: config.settings,
      retention: config.retention,
      webhooks: config.webhooks,
      watch: serves ? config.watch : undefined,
      mirrorUses: new Map(Object.entries(placesIn(config)).map(([name, { mirrorUse }]) => [name, mirrorUse])),
      callTimeoutMs: config.callTimeoutMs,
      ...(now && { now: () => new Date(now()) }),
    })
    counts.start(service.store)
    const keyFile = adminKeyFile(config)
    const { key } = await bootstrap(service, {
      ...(config.adminKey !== undefined && { adminKey: config.adminKey }),
      keep: (made) => keyFile && keepKey(keyFile, made),
      keyless,
    })
    if (serves || !inAnyCase) await showConfigured(service, [DEFAULT_WORKSPACE, ...Object.keys(config.workspaces)], configuredIn(config, opened))
    return { service, keyFile, key, close }
  } catch (error) {
    await close()
    const known = opened.get(config.store)?.classify(error)
    throw known ? new CrmError(known.code, known.message, { cause: error, ...(known.hint !== undefined && { hint: known.hint }) }) : error
  }
}

async function vaultOf(config: Config, store: Store): Promise<Vault> {
  const file = secretKeyFile(config)
  const isShared = isPostgres(config.store)
  const makes = config.secretKeys.length === 0 && !isShared && file !== undefined && !existsSync(file)
  return openVault(config.secretKeys, file, { isShared, hasSealed: makes && (await hasSealed({ store })) })
}

type TakeUnits = Parameters<Store['takeFromRateLimit']>

/** Loads what opens accounts with the first connection that needs it: a service without one starts without it. */
function lateAccounts(config: Config, how: Parameters<typeof createAccounts>[1]): Accounts {
  const load = lazy(async () => (await import('./accounts.ts')).createAccounts(config, how))
  return {
    faultsOf: async (settings) => (await load()).faultsOf(settings),
    open: async (settings) => (await load()).open(settings),
    openInAnyCase: async (platform, settings, recall) => (await load()).openInAnyCase(platform, settings, recall),
    async *examine(settings) {
      yield* (await load()).examine(settings)
    },
    authorization: async (settings) => (await load()).authorization(settings),
  }
}

/** Where the configuration puts the records of workspaces. */
const placesIn = ({ platform, mirrorUse, workspaces }: Config): Config['workspaces'] => ({ [DEFAULT_WORKSPACE]: { platform, mirrorUse }, ...workspaces })

/** The CRMs that the configuration connects workspaces to. */
function configuredIn(config: Config, opened: ReadonlyMap<string, Platform>): Configured[] {
  return Object.entries(placesIn(config)).flatMap(([workspace, { platform: url, mirrorUse }]) => {
    const address = crmAddress(url)
    const platform = opened.get(url)
    if (!address || !platform || isPackage(address.name)) return []
    const { account = null, remark = null } = platform
    return [{ workspace, platform: address.name, address: address.place || null, account, remark, mirrorUse }]
  })
}

/** How the CRMs among the platforms are opened. Faults in their settings are reported before any request is sent. */
async function platformOpeners(config: Config, now: (() => number) | undefined, how: HowToOpen): Promise<Map<string, () => Promise<Platform>>> {
  const crms = Object.entries(config.crms)
  if (crms.length === 0) return new Map()
  if (now)
    throw new CrmError('unsupported', 'A CRM cannot be filled with records of the past, only a store can.', {
      hint: 'Name a store with --platform, such as sqlite:demo.db.',
    })
  const { openCrms } = await import('./open-crms.ts')
  return openCrms(crms, how)
}

async function openStore(url: string, setting: string, now: (() => number) | undefined): Promise<Store> {
  const open = openerOf(url, now)
  if (!open) {
    const [word = ''] = url.split(':')
    const message = url === 'sqlite:' ? 'sqlite: needs the path of a file behind it.' : `There is no platform for ${JSON.stringify(word)}.`
    throw new CrmError('invalid_input', message, {
      errors: [{ field: setting, code: 'value', message, expected: PLATFORM_ADDRESSES, ...didYouMean(word, PLATFORM_NAMES) }],
    })
  }
  try {
    return await open()
  } catch (error) {
    const { code, message, errors, hint } = error instanceof CrmError ? error : new CrmError('platform_unavailable', (error as Error).message)
    throw new CrmError(code, `The store ${shownStore(url)} cannot be opened: ${message}`, { cause: error, ...(errors && { errors }), ...(hint && { hint }) })
  }
}

const PLATFORM_NAMES = ['sqlite', 'postgres', ...CRM_NAMES]

function openerOf(url: string, now: (() => number) | undefined): (() => Promise<Store>) | undefined {
  const path = sqlitePath(url)
  if (path !== undefined) return async () => (await import('../platforms/stores/sqlite/sqlite.ts')).openSqlite(path, now)
  if (isPostgres(url)) return async () => (await import('../platforms/stores/postgres/postgres.ts')).openPostgres(url, now)
  return undefined
}

/** Where only its owner can read it. */
function keepKey(file: string, key: string): void {
  makeKeyFolder(file)
  // It may be the only copy of the key of another store in this folder, so it is renamed, not overwritten.
  if (existsSync(file)) renameSync(file, `${file}.before-${new Date().toISOString().replaceAll(':', '-')}`)
  try {
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    // A partly written key is useless.
    if ((error as { code?: string }).code !== 'EEXIST') rmSync(file, { force: true })
    throw new CrmError('platform_unavailable', `The admin's key cannot be kept in ${file}: ${(error as Error).message}`, { cause: error })
  }
}
