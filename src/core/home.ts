import { CrmError } from '../contract/errors.ts'
import { STORE_TYPES } from '../contract/operations.ts'
import type { RecordType } from '../contract/record.ts'
import type { Platform } from '../platforms/platform.ts'
import type { Store, Workspace } from '../platforms/store.ts'
import { knownStore } from './access/own-fields.ts'
import type { OpenedAccount, OpenedConnections } from './connections/opened.ts'

/** Where records can be; every service has these. */
interface Places {
  readonly platform: Platform
  readonly platforms: ReadonlyMap<string, Platform>
  readonly connections: OpenedConnections
  readonly store: Store
}

/** The workspace that every store has. */
const FIRST = 'default'

/**
 * Where the records of a workspace are. A call takes it once, and a batch or a stream once for all of its calls: when the workspace is switched to another
 * account meanwhile, what was checked against one account is not written to the other, and the first stays open until the call has ended.
 */
export class Home {
  private readonly places: Places
  private readonly workspace: Workspace
  private readonly account: OpenedAccount | undefined
  private readonly records: Platform

  constructor(places: Places, workspace: Workspace, account: OpenedAccount | undefined) {
    this.places = places
    this.workspace = workspace
    this.account = account
    this.records = account?.platform ?? places.platforms.get(workspace.name) ?? places.platform
  }

  /** Whether the records are in the store itself, where a write and its audit line are one transaction. */
  get isStore(): boolean {
    return this.records === this.places.store
  }

  /** The store with the fields that the workspace has defined, as they were last read: those are not switched, but added to. */
  get store(): Store {
    return knownStore(this.places.store, this.workspace.number)
  }

  /** The platform of the records. A CRM account has no workspaces, so no two workspaces can share one. */
  get platform(): Platform {
    const { name } = this.workspace
    if (this.records === this.places.platform && !this.records.supports.ownUsers && name !== FIRST)
      throw new CrmError('unsupported', `The workspace ${name} has no platform of its own, and that of the first one cannot be shared.`, {
        hint: `Connect it to an account of its own, with create_connection, or name one in crm.config.json: "workspaces": { "${name}": { "platform": "…" } }`,
      })
    return this.platformForNames
  }

  /** The same without a refusal, for what names types and errors only. */
  get platformForNames(): Platform {
    return this.isStore ? this.store : this.records
  }

  /** Users and keys live in the store, everything else on the platform. */
  platformFor({ name }: RecordType): Platform {
    return STORE_TYPES.includes(name) ? this.store : this.platform
  }

  /** Whether records of a type are in the store itself. */
  isStoreFor({ name }: RecordType): boolean {
    return this.isStore || STORE_TYPES.includes(name)
  }

  /** Called once, when the call has ended. */
  leave(): void {
    this.places.connections.release(this.account)
  }
}

/** One for calls that belong together: what the first of them has found is that of all, until it is left. */
export class SharedHome {
  private readonly find: () => Home | Promise<Home>
  private home: Home | undefined
  private entering: Promise<Home> | undefined

  constructor(find: () => Home | Promise<Home>) {
    this.find = find
  }

  enter(): Home | Promise<Home> {
    if (this.home) return this.home
    this.entering ??= this.enterOnce().finally(() => {
      this.entering = undefined
    })
    return this.entering
  }

  private async enterOnce(): Promise<Home> {
    this.home = await this.find()
    return this.home
  }

  leave(): void {
    this.home?.leave()
    this.home = undefined
  }
}

/** Where the records of a workspace were when that was last read, for what names types only. */
export const knownHome = (places: Places, workspace: Workspace): Home => new Home(places, workspace, places.connections.get(workspace))
