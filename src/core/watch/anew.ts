import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../../contract/records/connection.ts'
import type { ResyncReason } from '../../contract/records/event.ts'
import type { Store } from '../../platforms/store.ts'
import { nextRevision } from '../call/records.ts'
import { KNOWN_MS } from './known.ts'
import { announceOfConnection, connectionInUse } from './of-connection.ts'
import { LEFT_MIRROR, type Position, writePosition } from './positions.ts'
import { accountOf } from './source.ts'
import type { Watched } from './watched.ts'

/** How long a mirror is kept once it is no longer read from. */
const ERASED_AFTER_MS = 4 * KNOWN_MS

/** Accounts that are remembered of a workspace, and connections. */
const MOST_EARLIER = 20

/**
 * Gives a mirror up: it is not read from any more, and the next poll erases it and begins anew. Where the account was followed before, changes are missed which are not told one by
 * one: an event says so, with the reason.
 */
export async function giveUp(watched: Watched, known: Position, reason: ResyncReason | undefined): Promise<Position> {
  const { workspace, store } = watched
  const first = await firstPosition(watched, known)
  const erasing = { ...first, isErasing: true, ...(reason === 'replaced' && known.account === first.account && { isUnnamed: true }) }
  await store.write(workspace.number, async (writer) => {
    await writePosition(writer, erasing)
    if (reason) await announceOfConnection(writer, 'resynced', { Resynced: reason })
  })
  return erasing
}

/** Begins a mirror, after the one before was given up and erased, where there was one. */
export async function beginAnew(watched: Watched, known: Position | undefined, reason: ResyncReason | undefined, signal: AbortSignal): Promise<Position> {
  const { service, workspace, store } = watched
  const erasing = known && (await giveUp(watched, known, reason))
  if (erasing && !(await eraseUnread(service.store, workspace.number, signal))) return erasing
  const first = await firstPosition(watched, erasing)
  await store.write(workspace.number, async (writer) => {
    await writer.setPosition(LEFT_MIRROR, null)
    await writePosition(writer, first)
  })
  return first
}

/** Where an account was replaced while it was open, the name that it was opened under since is that of the one that was followed from then on. */
export async function renamed(watched: Watched, known: Position): Promise<Position> {
  const { service, workspace, platform, store } = watched
  const connection = await connectionInUse(service.store.reader(workspace.number))
  const account = accountOf(platform)
  if (!known.isUnnamed || known.account === account || !connection || known.connection !== connection.ConnectionID) return known
  const { isUnnamed: _, ...rest } = known
  const position = { ...rest, account }
  await store.write(workspace.number, async (writer) => {
    await writePosition(writer, position)
    const Account = platform.account ?? null
    await writer.update(Connection.name, connection.ConnectionID, { Account, ...nextRevision(connection, writer.now()) })
  })
  return position
}

async function firstPosition({ service, workspace, platform }: Watched, known: Position | undefined): Promise<Position> {
  const account = accountOf(platform)
  const connection = (await connectionInUse(service.store.reader(workspace.number)))?.ConnectionID
  const earlier = before(known?.earlier, known?.account, account)
  const earlierConnections = before(known?.earlierConnections, known?.connection, connection)
  const isUnnamed = known?.isUnnamed && known.account === account
  return {
    account,
    types: {},
    ...(isUnnamed && { isUnnamed }),
    ...(connection !== undefined && { connection }),
    ...(earlier.length > 0 && { earlier }),
    ...(earlierConnections.length > 0 && { earlierConnections }),
  }
}

/** The last of those that were followed before the present one. */
const before = (earlier: readonly string[] = [], last: string | undefined, present: string | undefined): string[] =>
  [...new Set([...earlier, ...(last === undefined ? [] : [last])])].filter((one) => one !== present).slice(-MOST_EARLIER)

/** Erases a mirror whose position says so. Reads that have begun, in any process, end on what they have found complete. Resolves to false where it was aborted. */
export async function eraseUnread(store: Store, workspace: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ERASED_AFTER_MS, undefined, { signal }).catch(() => {})
  if (!signal.aborted) await store.eraseMirror(workspace, signal)
  return !signal.aborted
}
