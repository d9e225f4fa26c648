import { CrmError } from '../contract/errors.ts'
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

  constructor(sources: Sources, workspace: Workspace, account: OpenedAccount | undefined) {
    this.sources = sources
    this.workspace = workspace
    this.account = account
    this.records = account?.platform ?? sources.platforms.get(workspace.name) ?? sources.platform
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
    if (this.records === this.sources.platform && !this.records.supports.ownUsers && name !== FIRST)
      throw new CrmError('unsupported', `The workspace ${name} has no platform of its own, and that of the first one cannot be shared.`, {
        hint: `Connect it to an account of its own, with create_connection, or name one in crm.config.json: "workspaces": { "${name}": { "platform": "…" } }`,
      })
    return this.platformForNames
  }

  /** The same without a refusal, for what names types and errors only. */
  get platformForNames(): Platform {
    return this.isStore ? this.store : this.records
  }

  /** Whether lists, summaries and searches are answered from a mirror of the records, once it is complete. */
  get readsMirror(): boolean {
    return !this.isStore && this.records.feed !== undefined
  }

  /** Users and keys live in the store, everything else on the platform. */
  platformFor({ name }: RecordType): Platform {
    return STORE_TYPES.includes(name) ? this.store : this.platform
  }

  /** Whether records of a type are in the store itself. */
  isStoreFor({ name }: RecordType): boolean {
    return this.isStore || STORE_TYPES.includes(name)
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
