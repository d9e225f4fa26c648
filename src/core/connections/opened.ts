import { Connection } from '../../contract/records/connection.ts'
import { singleFlight } from '../../helpers/single-flight.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { findRecords } from '../call/records.ts'
import type { Service } from '../service.ts'
import { type StoredConnection, settingsOf } from './settings.ts'

/** How long an account stays open that is not used. */
const IDLE_MS = 15 * 60_000
/** How long an account is kept open that was replaced, for calls that are under way on it. */
const ENDING_MS = 120_000

interface Opened {
  /** The connection and its generation; empty for a workspace without one. */
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
  private readonly reading = new Map<number, () => Promise<void>>()
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

  /** All that are open. */
  platforms(): Platform[] {
    return [...this.opened.values()].flatMap(({ platform }) => platform ?? [])
  }

  /** Reads and opens what a workspace is connected to, where that may have changed; undefined where it cannot have. Every call does so first. */
  read(service: Service, workspace: Workspace): Promise<void> | undefined {
    if (!service.accounts) return undefined
    const known = this.opened.get(workspace.number)
    if (known && known.version === service.store.accessVersion()) {
      known.usedAt = Date.now()
      return undefined
    }
    let again = this.reading.get(workspace.number)
    if (!again) {
      again = singleFlight(() => this.readAgain(service, workspace))
      this.reading.set(workspace.number, again)
    }
    return again()
  }

  private async readAgain(service: Service, workspace: Workspace): Promise<void> {
    const version = service.store.accessVersion()
    const connection = await connectionInUse(service, workspace)
    const of = connection ? `${connection.ConnectionID} ${connection.Generation}` : ''
    const before = this.opened.get(workspace.number)
    if (before?.of === of) {
      before.version = version
      before.usedAt = Date.now()
      return
    }
    const platform = connection && service.accounts && (await service.accounts.openInAnyCase(settingsOf(service, workspace.number, connection)))
    if (this.closed) return platform?.close()
    this.sweeping ??= setInterval(() => this.closeIdle(), IDLE_MS / 3).unref()
    this.opened.set(workspace.number, { of, platform: platform && this.wrap(platform), version, usedAt: Date.now() })
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
      this.reading.delete(number)
      if (platform) this.endLater(platform)
    }
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.sweeping)
    await Promise.all([...this.platforms(), ...this.ending].map((platform) => platform.close()))
    this.opened.clear()
  }
}

/** The connection that a workspace uses: the one in use, once it has been connected. */
async function connectionInUse({ store }: Service, { number }: Workspace): Promise<StoredConnection | undefined> {
  const [connection] = await findRecords(store.reader(number), Connection, {
    where: [
      { field: 'InUse', family: 'boolean', operator: 'eq', value: true },
      { field: 'Configured', family: 'boolean', operator: 'eq', value: false },
      { field: 'ConnectedDate', family: 'timestamp', operator: 'ne', value: null },
    ],
    order: { field: Connection.id, descending: false },
    limit: 1,
  })
  return connection
}
