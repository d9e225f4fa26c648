import type { Platform } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'

/** How long an account stays open that is not used. */
const IDLE_MS = 15 * 60_000
/** How long an account is kept open that was replaced, for calls that are under way on it. */
const ENDING_MS = 120_000

/** A connection that a workspace uses. */
export interface InUse {
  /** Names the connection and what it is opened with. */
  readonly of: string
  open(): Promise<Platform>
}

interface Opened {
  readonly workspace: string
  /** Empty for a workspace without a connection. */
  readonly of: string
  readonly platform: Platform | undefined
  version: number
  usedAt: number
}

/**
 * The accounts that workspaces are connected to at run time. An account is opened with the first call that needs it, and closed when it has not
 * been used for a while; a change of the connection, in whatever process, is noticed by the next call.
 */
export class OpenedConnections {
  private readonly opened = new Map<number, Opened>()
  private readonly reading = new Map<number, Promise<void>>()
  private readonly ending = new Set<Platform>()
  private readonly wrap: (platform: Platform) => Platform
  private sweeping: NodeJS.Timeout | undefined
  private closed = false

  constructor(wrap: (platform: Platform) => Platform) {
    this.wrap = wrap
  }

  /** The platform that a workspace is connected to, as it was last read; undefined where it has none. */
  platformOf({ number }: Workspace): Platform | undefined {
    return this.opened.get(number)?.platform
  }

  /** All that are open, with the names of their workspaces. */
  all(): (readonly [workspace: string, platform: Platform])[] {
    return [...this.opened.values()].flatMap(({ workspace, platform }) => (platform ? [[workspace, platform] as const] : []))
  }

  /** Finds and opens what a workspace is connected to, unless it was last read at this version of the store; undefined then. */
  read({ number, name }: Workspace, version: number, find: () => Promise<InUse | undefined>): Promise<void> | undefined {
    const known = this.opened.get(number)
    if (known?.version === version) {
      known.usedAt = Date.now()
      return undefined
    }
    const underWay = this.reading.get(number)
    if (underWay) return underWay
    const reading = this.readAgain(number, name, version, find).finally(() => this.reading.delete(number))
    this.reading.set(number, reading)
    return reading
  }

  private async readAgain(number: number, workspace: string, version: number, find: () => Promise<InUse | undefined>): Promise<void> {
    const connection = await find()
    const of = connection?.of ?? ''
    const before = this.opened.get(number)
    if (before?.of === of) {
      before.version = version
      before.usedAt = Date.now()
      return
    }
    const platform = await connection?.open()
    if (this.closed) return platform?.close()
    this.sweeping ??= setInterval(() => this.closeIdle(), IDLE_MS / 3).unref()
    this.opened.set(number, { workspace, of, platform: platform && this.wrap(platform), version, usedAt: Date.now() })
    if (before?.platform) this.endLater(before.platform)
  }

  /** Closes an account once the calls under way on it have ended. */
  private endLater(platform: Platform): void {
    this.ending.add(platform)
    setTimeout(() => void this.end(platform), ENDING_MS).unref()
  }

  private async end(platform: Platform): Promise<void> {
    if (this.ending.delete(platform)) await platform.close()
  }

  private closeIdle(): void {
    const idle = Date.now() - IDLE_MS
    for (const [number, { usedAt, platform }] of this.opened) {
      if (usedAt > idle) continue
      this.opened.delete(number)
      if (platform) this.endLater(platform)
    }
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.sweeping)
    await Promise.all([...this.all().map(([, platform]) => platform), ...this.ending].map((platform) => platform.close()))
    this.opened.clear()
  }
}
