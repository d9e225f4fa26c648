import { CrmError } from '../contract/errors.ts'
import type { Role } from '../contract/records/user.ts'
import type { Platform, RequestGroup, StoredRecord } from '../platforms/platform.ts'
import type { Store, Workspace } from '../platforms/store.ts'
import { withUserIds } from './access/user-ids.ts'
import { withTransactionRetry } from './call/transaction-retry.ts'

/** What the configuration says about the meaning of values. */
export interface Settings {
  readonly wonStages: readonly string[]
  readonly lostStages: readonly string[]
  readonly closedStatuses: readonly string[]
  /** Value sets that are closed here, by record type and field. */
  readonly allowedValues: { readonly [type: string]: { readonly [field: string]: readonly string[] } | undefined }
}

export const DEFAULT_SETTINGS: Settings = {
  wonStages: ['Closed Won'],
  lostStages: ['Closed Lost'],
  closedStatuses: ['Closed'],
  allowedValues: {},
}

/** How long the journal keeps what. */
export interface Retention {
  /** How long an idempotency key is known. */
  readonly keyMs: number
  /** How long changes and events are kept; undefined keeps them for good. */
  readonly changesMs: number | undefined
}

/** How webhooks are delivered. */
export interface WebhookSettings {
  /** Whether targets on private networks are called. */
  readonly allowPrivate: boolean
  /** How long a target may take in all. */
  readonly timeoutMs: number
  /** How long the first pause after a failure is; each is longer than the one before. */
  readonly backoffMs: number
  /** After so many attempts an event becomes a dead letter. */
  readonly attempts: number
  /** A webhook that has failed for so long is paused. */
  readonly pauseAfterMs: number
}

const HOUR_MS = 3_600_000

export const DEFAULT_RETENTION: Retention = { keyMs: 24 * HOUR_MS, changesMs: undefined }
export const DEFAULT_WEBHOOK_SETTINGS: WebhookSettings = { allowPrivate: false, timeoutMs: 10_000, backoffMs: 5_000, attempts: 10, pauseAfterMs: 72 * HOUR_MS }

/** Everything a call needs. */
export interface Service {
  /** Where records live, unless the configuration gives their workspace a platform of its own. */
  readonly platform: Platform
  /** The platforms of workspaces that have their own, by the workspace's name. */
  readonly platforms: ReadonlyMap<string, Platform>
  /** Where users and keys live. */
  readonly store: Store
  readonly settings: Settings
  readonly retention: Retention
  readonly webhooks: WebhookSettings
  /** The present moment; a test may hold it still. */
  readonly now: () => Date
}

/** A user, known by a key. */
export interface Caller {
  readonly workspace: Workspace
  readonly userId: string
  /** Who this is on a platform that has users of its own. */
  readonly platformUserId?: string | null
  readonly role: Role
  readonly keyId: string | null
  readonly scopes: readonly string[]
  readonly expires: string | null
  /** Whether the key may delete only what was planned and confirmed. */
  readonly confirms: boolean
  /** The users whose records the caller may see; undefined means everyone's. */
  readonly sees: ReadonlySet<string> | undefined
}

/** Records as they would be by now, by type and id; undefined where they would be gone. */
export type DryRunState = Map<string, StoredRecord | undefined>

export interface Call {
  /** The operation's name in any spelling. */
  readonly operation: string
  readonly input: unknown
  readonly caller: Caller
  /** The door it came through. */
  readonly transport?: string
  readonly requestId?: string
  /** Makes a write safe to repeat: with the same key it is carried out once. */
  readonly idempotencyKey?: string | undefined
  /** Whether a write is only to be tried. */
  readonly dryRun?: boolean
  /** Whether the door it came through wants deletes confirmed, whatever the key says. */
  readonly confirm?: boolean
  /** The token of the plan that this call confirms. */
  readonly confirmation?: string | undefined
  /** What earlier tries of the same batch have pretended. */
  readonly dryRunState?: DryRunState
  /** The writes of a batch that are under way at the same time. */
  readonly requestGroup?: RequestGroup | undefined
}

export function createService(parts: {
  platform: Platform
  store: Store
  platforms?: ReadonlyMap<string, Platform>
  settings?: Settings
  keeping?: Retention
  sending?: WebhookSettings
  now?: () => Date
}): Service {
  const store = withTransactionRetry(parts.store)
  const known = new Map<Platform, Platform>([[parts.store, store]])
  // Whoever is the same before is the same afterwards.
  const one = (platform: Platform): Platform => {
    const wrapped = known.get(platform) ?? (platform.supports.ownUsers ? withTransactionRetry(platform) : withUserIds(platform, store))
    known.set(platform, wrapped)
    return wrapped
  }
  return {
    platform: one(parts.platform),
    platforms: new Map([...(parts.platforms ?? [])].map(([name, platform]) => [name, one(platform)])),
    store,
    settings: parts.settings ?? DEFAULT_SETTINGS,
    retention: parts.keeping ?? DEFAULT_RETENTION,
    webhooks: parts.sending ?? DEFAULT_WEBHOOK_SETTINGS,
    now: parts.now ?? (() => new Date()),
  }
}

/** The workspace that is there from the beginning. */
const FIRST = 'default'

/** Where a workspace's records live. An account of a CRM has no workspaces inside, so it can be that of one alone. */
export function platformOf(service: Service, workspace: Workspace): Platform {
  const platform = service.platforms.get(workspace.name) ?? service.platform
  if (platform === service.platform && !platform.supports.ownUsers && workspace.name !== FIRST)
    throw new CrmError('unsupported', `The workspace ${workspace.name} has no platform of its own, and that of the first one cannot be shared.`, {
      hint: `Name one in crm.config.json: "workspaces": { "${workspace.name}": { "platform": "…" } }`,
    })
  return platform
}
