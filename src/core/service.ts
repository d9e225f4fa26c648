import type { MirrorUse } from '../contract/mirror-use.ts'
import type { Confirm, ConfirmInCall } from '../contract/records/plan.ts'
import type { Role } from '../contract/records/user.ts'
import type { Platform, RequestGroup, StoredRecord } from '../platforms/platform.ts'
import type { Store, Workspace } from '../platforms/store.ts'
import { createTickets, type Tickets } from './access/tickets.ts'
import { withUserIds } from './access/user-ids.ts'
import { createVault, newSealingKey, type Vault } from './access/vault.ts'
import type { SharedBinding } from './binding.ts'
import { withTransactionRetry } from './call/transaction-retry.ts'
import type { Accounts } from './connections/accounts.ts'
import { OpenedConnections } from './connections/opened.ts'

/** How the configuration interprets and limits values. */
export interface Settings {
  readonly wonStages: readonly string[]
  readonly lostStages: readonly string[]
  readonly closedStatuses: readonly string[]
  /** The only values accepted, by record type and field. */
  readonly allowedValues: { readonly [type: string]: { readonly [field: string]: readonly string[] } | undefined }
}

export const DEFAULT_SETTINGS: Settings = {
  wonStages: ['Closed Won'],
  lostStages: ['Closed Lost'],
  closedStatuses: ['Closed'],
  allowedValues: {},
}

/** How long the journal keeps its entries. */
export interface Retention {
  /** How long an idempotency key and its answer are kept. */
  readonly keyMs: number
  /** How long changes and events are kept; undefined keeps them forever. */
  readonly changesMs: number | undefined
}

/** How webhooks are delivered. */
export interface WebhookSettings {
  /** Whether targets on private networks are called. */
  readonly allowPrivate: boolean
  /** How long a target may take in all. */
  readonly timeoutMs: number
  /** The pause after the first failure; it grows with each further one. */
  readonly backoffMs: number
  /** Attempts before an event becomes a dead letter. */
  readonly attempts: number
  /** How long a webhook may fail before it is paused. */
  readonly pauseAfterMs: number
}

/** How accounts of CRMs are watched for what others change in them. */
export interface WatchSettings {
  readonly intervalMs: number
  /** The requests that the watch of an account may send in a day. */
  readonly requestsPerDay: number
  /** Whether these are fewer where an account allows fewer: not where the configuration names them. */
  readonly sparesQuota?: boolean | undefined
}

const HOUR_MS = 3_600_000

export const DEFAULT_RETENTION: Retention = { keyMs: 24 * HOUR_MS, changesMs: undefined }
export const DEFAULT_WEBHOOK_SETTINGS: WebhookSettings = { allowPrivate: false, timeoutMs: 10_000, backoffMs: 5_000, attempts: 10, pauseAfterMs: 72 * HOUR_MS }

export const DEFAULT_WATCH: WatchSettings = { intervalMs: 120_000, requestsPerDay: 20_000, sparesQuota: true }

export const DEFAULT_CALL_TIMEOUT_MS = 30_000

/** Everything a call needs. */
export interface Service {
  /** Where records live, unless the configuration gives their workspace a platform of its own. */
  readonly platform: Platform
  /** The platforms of workspaces that have their own, by the workspace's name. */
  readonly platforms: ReadonlyMap<string, Platform>
  /** Those that workspaces are connected to at run time, which come before the others. */
  readonly connections: OpenedConnections
  /** How accounts of CRMs are opened at run time; undefined where that is not offered. */
  readonly accounts: Accounts | undefined
  /** Where users and keys live. */
  readonly store: Store
  /** For what passes through a browser. */
  readonly tickets: Tickets
  /** The address under which people reach the service, where the configuration says so. */
  readonly publicUrl: string | undefined
  /** Seals the secrets in the store. */
  readonly vault: Vault
  readonly settings: Settings
  readonly retention: Retention
  readonly webhooks: WebhookSettings
  /** How the process watches accounts; undefined where it does not. */
  readonly watch: WatchSettings | undefined
  /** How the accounts of the configuration are used, by the workspace's name. */
  readonly mirrorUses: ReadonlyMap<string, MirrorUse>
  /** How long a call may take. */
  readonly callTimeoutMs: number
  /** The clock; tests may replace it. */
  readonly now: () => Date
}

/** The user a call acts for, with what their key allows. */
export interface Caller {
  readonly workspace: Workspace
  readonly userId: string
  /** The user's id on a CRM. */
  readonly platformUserId?: string | null
  readonly role: Role
  readonly keyId: string | null
  readonly scopes: readonly string[]
  readonly expires: string | null
  /** Whether it is the session of a person who has signed in. */
  readonly session?: boolean
  /** How deletes with this key have to be confirmed. */
  readonly confirms: Confirm | null
  /** The address that a token is for; undefined for other keys. */
  readonly resource?: string
  /** The users whose records the caller may see; undefined means all users. */
  readonly sees: ReadonlySet<string> | undefined
}

/** Records as earlier dry runs of a batch have left them, by type and id; undefined where deleted. */
export type DryRunState = Map<string, StoredRecord | undefined>

/** When the caller wants to be answered at the latest, on the clock of `performance.now()`, and how long that was from the beginning. */
export interface Deadline {
  readonly at: number
  readonly ms: number
}

/** Whether the caller still waits for the answer. */
export interface HangUp {
  readonly happened: boolean
  readonly signal: AbortSignal
}

/** A record that is to be taken away, as it was when that was planned. */
export interface PlannedRecord {
  readonly RecordType: string
  readonly RecordID: string
  /** Null where it has none, or where an earlier call of the batch will have changed it. */
  readonly RecordRevision: number | null
}

/** What goes with a record that is deleted, by list, and what loses its reference to it, by type. */
export interface Lost {
  readonly Removed: { readonly [list: string]: number }
  readonly Emptied: { readonly [type: string]: number }
}

/** What was shown of a write that was confirmed. */
export interface Shown {
  readonly record?: PlannedRecord | undefined
  /** Of a record that is deleted. */
  readonly lost?: Lost | undefined
}

export interface Call {
  /** The operation's name in any spelling. */
  readonly operation: string
  readonly input: unknown
  readonly caller: Caller
  /** The transport the call came over. */
  readonly transport?: string | undefined
  readonly requestId?: string | undefined
  /** The address at which the caller reaches the service, where it does so in a browser's reach. */
  readonly publicUrl?: (() => string) | undefined
  /** Makes a write safe to repeat: with the same key it is executed once. */
  readonly idempotencyKey?: string | undefined
  /** Whether a write is only validated and previewed. */
  readonly dryRun?: boolean | undefined
  /** What the transport requires to be confirmed, even where the key does not; true is `deletes`. */
  readonly confirm?: boolean | ConfirmInCall | undefined
  /** The token of the confirmation that this call was refused with before. */
  readonly confirmation?: string | undefined
  /** Set where its batch was confirmed, so that the call needs no confirmation of its own. */
  readonly inConfirmed?: Shown | undefined
  /** What earlier dry runs of the same batch would have written. */
  readonly dryRunState?: DryRunState | undefined
  /** The batch that the call is part of, which its changes are found by. */
  readonly batchId?: string | undefined
  /** The writes of a batch that are under way at the same time. */
  readonly requestGroup?: RequestGroup | undefined
  /** Where the records are, for all calls of a batch or stream. */
  readonly binding?: SharedBinding | undefined
  readonly deadline?: Deadline | undefined
  readonly hangUp?: HangUp | undefined
  /** Of a batch: called whenever one of its calls has ended. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** Called once it has ended, however. */
  readonly onEnd?: (() => void) | undefined
}

export function createService(parts: {
  platform: Platform
  store: Store
  /** Unless given its key is lost with the process, and what it has sealed cannot be opened again. */
  vault?: Vault
  platforms?: ReadonlyMap<string, Platform>
  accounts?: Accounts
  publicUrl?: string | undefined
  settings?: Settings
  retention?: Retention
  webhooks?: WebhookSettings
  watch?: WatchSettings | undefined
  mirrorUses?: ReadonlyMap<string, MirrorUse>
  callTimeoutMs?: number
  now?: () => Date
}): Service {
  const store = withTransactionRetry(parts.store)
  const now = parts.now ?? (() => new Date())
  // Memoised, so that `store` and `platform` stay identical objects when they share an address.
  const wrappers = new Map<Platform, Platform>([[parts.store, store]])
  const wrap = (platform: Platform): Platform => {
    const wrapped = wrappers.get(platform) ?? (platform.supports.ownUsers ? withTransactionRetry(platform) : withUserIds(platform, store))
    wrappers.set(platform, wrapped)
    return wrapped
  }
  return {
    platform: wrap(parts.platform),
    platforms: new Map([...(parts.platforms ?? [])].map(([name, platform]) => [name, wrap(platform)])),
    connections: new OpenedConnections((platform) => withUserIds(platform, store)),
    accounts: parts.accounts,
    tickets: createTickets(store, () => now().getTime()),
    publicUrl: parts.publicUrl,
    store,
    vault: parts.vault ?? createVault([newSealingKey()]),
    settings: parts.settings ?? DEFAULT_SETTINGS,
    retention: parts.retention ?? DEFAULT_RETENTION,
    webhooks: parts.webhooks ?? DEFAULT_WEBHOOK_SETTINGS,
    watch: parts.watch,
    mirrorUses: parts.mirrorUses ?? new Map(),
    callTimeoutMs: parts.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS,
    now,
  }
}
