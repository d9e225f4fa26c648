import { CrmError } from '../contract/errors.ts'
import { STORE_TYPES } from '../contract/operations.ts'
import type { RecordType } from '../contract/record.ts'
import type { Platform } from '../platforms/platform.ts'
import type { Store, Workspace } from '../platforms/store.ts'
import { knownStore, readOwnFields } from './access/own-fields.ts'
import { refuseUnserved } from './access/served.ts'
import { readConnection } from './connections/in-use.ts'
import type { OpenedAccount } from './connections/opened.ts'
import type { Service } from './service.ts'

/** The workspace that every store has. */
const FIRST = 'default'

/**
 * Where the records of a workspace are. A call takes it once, and a batch or a stream once for all of its calls: when the workspace is switched to another
 * account meanwhile, what was checked against one account is not written to the other, and the first stays open until the call has ended.
 */
export class Home {
  private readonly service: Service
  private readonly workspace: Workspace
  private readonly account: OpenedAccount | undefined
  private readonly records: Platform

  constructor(service: Service, workspace: Workspace, account: OpenedAccount | undefined) {
    this.service = service
    this.workspace = workspace
    this.account = account
    this.records = account?.platform ?? service.platforms.get(workspace.name) ?? service.platform
  }

  /** Whether the records are in the store itself, where a write and its audit line are one transaction. */
  get isStore(): boolean {
    return this.records === this.service.store
  }

  /** The store with the fields that the workspace has defined, as they were last read: those are not switched, but added to. */
  get store(): Store {
    return knownStore(this.service.store, this.workspace.number)
  }

  /** The platform of the records. A CRM account has no workspaces, so no two workspaces can share one. */
  get platform(): Platform {
    const { name } = this.workspace
    if (this.records === this.service.platform && !this.records.supports.ownUsers && name !== FIRST)
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
    this.service.connections.release(this.account)
  }
}

/** Where the records of a workspace are now, for a call, which leaves it when it has ended. Not a promise where nothing has to be read for it. */
export function enterHome(service: Service, workspace: Workspace): Home | Promise<Home> {
  const enter = () => new Home(service, workspace, service.connections.take(workspace))
  const looking = refuseUnserved(service.store, workspace)
  if (looking) return looking.then(() => readConnection(service, workspace)).then(enter)
  const reading = readConnection(service, workspace)
  return reading ? reading.then(enter) : enter()
}

/** The same for calls that belong together: what the first of them has found is that of all, until it is left. */
export class SharedHome {
  private readonly service: Service
  private readonly workspace: Workspace
  private home: Home | undefined
  private entering: Promise<Home> | undefined

  constructor(service: Service, workspace: Workspace) {
    this.service = service
    this.workspace = workspace
  }

  enter(): Home | Promise<Home> {
    if (this.home) return this.home
    this.entering ??= this.enterOnce().finally(() => {
      this.entering = undefined
    })
    return this.entering
  }

  private async enterOnce(): Promise<Home> {
    this.home = await enterHome(this.service, this.workspace)
    return this.home
  }

  leave(): void {
    this.home?.leave()
    this.home = undefined
  }
}

/** Where the records of a workspace were when that was last read, for what names types only. */
export const knownHome = (service: Service, workspace: Workspace): Home => new Home(service, workspace, service.connections.get(workspace))

/** The same, with what was changed since. */
export async function readPlatform(service: Service, workspace: Workspace): Promise<Platform> {
  await Promise.all([readOwnFields(service.store, workspace.number), readConnection(service, workspace)])
  return knownHome(service, workspace).platformForNames
}
