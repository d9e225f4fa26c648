import { CrmError } from '../contract/errors.ts'
import { DEFAULT_MIRROR_USE, type MirrorUse } from '../contract/mirror-use.ts'
import { STORE_TYPES } from '../contract/operations.ts'
import type { RecordType } from '../contract/record.ts'
import type { Platform } from '../platforms/platform.ts'
import type { Store, Workspace } from '../platforms/store.ts'
import { knownStore } from './access/own-fields.ts'
import type { OpenedAccount, OpenedConnections } from './connections/opened.ts'

/** Where records can be; every service has these. */
interface Sources {
  readonly platform: Platform
  readonly platforms: ReadonlyMap<string, Platform>
  readonly connections: OpenedConnections
  readonly store: Store
  /** Set where accounts are watched. */
  readonly watch: object | undefined
  readonly mirrorUses: ReadonlyMap<string, MirrorUse>
}

/** The workspace that every store has. */
const FIRST = 'default'

/**
 * Which platform a workspace is bound to. A call acquires the binding once, and a batch or a stream once for all of its calls: when the workspace is switched
 * to another account meanwhile, what was checked against one account is not written to the other, and the first stays open until the binding is released.
 */
export class Binding {
  private readonly sources: Sources
  private readonly workspace: Workspace
  private readonly account: OpenedAccount | undefined
  private readonly records: Platform
  private readonly mirrorUse: MirrorUse

  constructor(sources: Sources, workspace: Workspace, account: OpenedAccount | undefined) {
    this.sources = sources
    this.workspace = workspace
    this.account = account
    this.records = account?.platform ?? sources.platforms.get(workspace.name) ?? sources.platform
    this.mirrorUse = account?.mirrorUse ?? sources.mirrorUses.get(workspace.name) ?? DEFAULT_MIRROR_USE
  }

  /** Whether the records are in the store itself, where a write and its audit line are one transaction. */
  get isStore(): boolean {
    return this.records === this.sources.store
  }

  /** The store with the fields that the workspace has defined, as they were last read: those are not switched, but added to. */
  get store(): Store {
    return knownStore(this.sources.store, this.workspace.number)
  }

  /** The platform of the records. A CRM account has no workspaces, so no two workspaces can share one. */
  get platform(): Platform {
    const { name } = this.workspace
    if (this.isOfAnother)
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

  /** Whether the records are in the account of the first workspace, and this is another one. */
  private get isOfAnother(): boolean {
    return this.records === this.sources.platform && !this.records.supports.ownUsers && this.workspace.name !== FIRST
  }

  /** Whether the account can be watched, as far as is known before it has been opened, and is not told not to be. */
  get isWatchable(): boolean {
    const { feed, remark } = this.records
    return !this.isStore && !this.isOfAnother && (feed ?? remark) !== undefined && this.mirrorUse.watch
  }

  /** Whether this process or one beside it watches the account, or will once it can be opened. */
  get watches(): boolean {
    const { feed, isRecalled } = this.records
    return this.sources.watch !== undefined && this.isWatchable && (feed !== undefined || isRecalled === true)
  }

  /** Whether lists, summaries and searches are answered from the mirror, once it is complete. */
  get readsMirror(): boolean {
    return this.watches && this.mirrorUse.reads === 'mirror'
  }

  /** Called once, when the call has ended: an account that was switched away from is closed with its last binding. */
  release(): void {
    this.sources.connections.release(this.account)
  }
}

/** One binding for calls that belong together: acquired by the first of them, until it is released. */
export class SharedBinding {
  private readonly find: () => Binding | Promise<Binding>
  private binding: Binding | undefined
  private acquiring: Promise<Binding> | undefined

  constructor(find: () => Binding | Promise<Binding>) {
    this.find = find
  }

  acquire(): Binding | Promise<Binding> {
    if (this.binding) return this.binding
    this.acquiring ??= this.acquireOnce().finally(() => {
      this.acquiring = undefined
    })
    return this.acquiring
  }

  private async acquireOnce(): Promise<Binding> {
    this.binding = await this.find()
    return this.binding
  }

  release(): void {
    this.binding?.release()
    this.binding = undefined
  }
}

/** The binding as it was last read, for what names types only. It is not released, and keeps no account open. */
export const cachedBinding = (sources: Sources, workspace: Workspace): Binding => new Binding(sources, workspace, sources.connections.get(workspace))
