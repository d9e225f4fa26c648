import type { MirrorUse } from '../../contract/mirror-use.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'

/** How long an account stays open that is not used. */
const IDLE_MS = 15 * 60_000

/** A connection that a workspace uses. */
export interface InUse {
  /** Names the connection and what it is opened with. */
  readonly of: string
  readonly mirrorUse?: MirrorUse
  open(): Promise<Platform>
}

/** What a workspace is connected to. */
export interface OpenedAccount {
  readonly workspace: string
  /** Empty for a workspace without a connection. */
  readonly of: string
  readonly platform: Platform | undefined
  /** Changed without opening the account anew; undefined for a workspace without a connection. */
  mirrorUse: MirrorUse | undefined
  version: number
  usedAt: number
  /** How many calls are under way on it. */
  calls: number
}

/**
 * The accounts that workspaces are connected to at run time. An account is opened with the first call that needs it, and closed when it has not
 * been used for a while, or was replaced, and no call is under way on it; a change of the connection, in whatever process, is noticed by the next call.
 */
export class OpenedConnections {
  private readonly opened = new Map<number, OpenedAccount>()
  private readonly reading = new Map<number, Promise<void>>()
  private readonly ending = new Set<OpenedAccount>()
  private readonly wrap: (platform: Platform) => Platform
  private readonly idleMs: number
  private sweeping: NodeJS.Timeout | undefined
  private closed = false

  constructor(wrap: (platform: Platform) => Platform, idleMs = IDLE_MS) {
    this.wrap = wrap
    this.idleMs = idleMs
  }

  /** What a workspace is connected to, as it was last read. */
  get({ number }: Workspace): OpenedAccount | undefined {
    return this.opened.get(number)
  }

  /** The same for a call: it stays open until the call has released it. */
  take(workspace: Workspace): OpenedAccount | undefined {
    const account = this.get(workspace)
    if (account) account.calls++
    return account
  }

  release(account: OpenedAccount | undefined): void {
    if (!account) return
    account.calls--
    account.usedAt = Date.now()
    if (this.ending.has(account)) this.endUnused(account)
  }

  /** All that are open, with the names of their workspaces. */
  all(): (readonly [workspace: string, platform: Platform])[] {
    return [...this.opened.values()].flatMap(({ workspace, platform }) => (platform ? [[workspace, platform] as const] : []))
  }

  /** Finds and opens what a workspace is connected to, unless it was last read at this version of the store; undefined then. */
  read(workspace: Workspace, version: number, find: () => Promise<InUse | undefined>): Promise<void> | undefined {
    const { number, name } = workspace
    const known = this.opened.get(number)
    if (known?.version === version) {
      known.usedAt = Date.now()
      return undefined
    }
    const underWay = this.reading.get(number)
    // What is being read may be older than this version.
    if (underWay) return underWay.then(() => this.read(workspace, version, find))
    const reading = this.readAgain(number, name, version, find).finally(() => this.reading.delete(number))
    this.reading.set(number, reading)
    return reading
  }

  private async readAgain(number: number, workspace: string, version: number, find: () => Promise<InUse | undefined>): Promise<void> {
    const connection = await find()
    const of = connection?.of ?? ''
    const before = this.opened.get(number)
    if (before?.of === of) {
      before.mirrorUse = connection?.mirrorUse
      before.version = version
      before.usedAt = Date.now()
      return
    }
    const platform = await connection?.open()
    if (this.closed) return platform?.close()
    this.sweeping ??= setInterval(() => this.closeIdle(), this.idleMs / 3).unref()
    const mirrorUse = connection?.mirrorUse
    this.opened.set(number, { workspace, of, platform: platform && this.wrap(platform), mirrorUse, version, usedAt: Date.now(), calls: 0 })
    if (before) this.end(before)
  }

  /** Closes an account once the calls under way on it have ended. */
  private end(account: OpenedAccount): void {
    this.ending.add(account)
    this.endUnused(account)
  }

  private endUnused(account: OpenedAccount): void {
    if (account.calls > 0) return
    this.ending.delete(account)
    void account.platform?.close()
  }

  private closeIdle(): void {
    const idle = Date.now() - this.idleMs
    for (const [number, account] of this.opened) {
      if (account.usedAt > idle || account.calls > 0) continue
      this.opened.delete(number)
      this.end(account)
    }
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.sweeping)
    await Promise.all([...this.opened.values(), ...this.ending].map(({ platform }) => platform?.close()))
    this.opened.clear()
  }
}
