import type { Role } from '../contract/user.ts'
import type { Platform, Store, Workspace } from '../platforms/platform.ts'

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

/** Everything a call needs. */
export interface Service {
  /** Where records live, unless the configuration gives their workspace a platform of its own. */
  readonly platform: Platform
  /** The platforms of workspaces that have their own, by the workspace's name. */
  readonly platforms: ReadonlyMap<string, Platform>
  /** Where users and keys live. */
  readonly store: Store
  readonly settings: Settings
  /** The present moment; a test may hold it still. */
  readonly now: () => Date
}

/** A user, known by a key. */
export interface Caller {
  readonly workspace: Workspace
  readonly userId: string
  readonly role: Role
  readonly keyId: string | null
  readonly scopes: readonly string[]
  readonly expires: string | null
  /** The users whose records the caller may see; undefined means everyone's. */
  readonly sees: ReadonlySet<string> | undefined
}

export interface Call {
  /** The operation's name in any spelling. */
  readonly operation: string
  readonly input: unknown
  readonly caller: Caller
}

export function createService(parts: {
  platform: Platform
  store: Store
  platforms?: ReadonlyMap<string, Platform>
  settings?: Settings
  now?: () => Date
}): Service {
  return {
    platform: parts.platform,
    platforms: parts.platforms ?? new Map(),
    store: parts.store,
    settings: parts.settings ?? DEFAULT_SETTINGS,
    now: parts.now ?? (() => new Date()),
  }
}

/** Where a workspace's records live. */
export function platformOf(service: Service, workspace: Workspace): Platform {
  return service.platforms.get(workspace.name) ?? service.platform
}
