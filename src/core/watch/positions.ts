import { IdleCache } from '../../helpers/idle-cache.ts'
import type { UserIds } from '../../platforms/platform.ts'
import type { JournalReader, Store, StoreWriter } from '../../platforms/store.ts'

/** How far an account was followed. */
export interface Position {
  /** The account whose records the mirror has. */
  readonly account: string
  /** Set while the mirror of another account, or one that is too old, is erased. */
  readonly isErasing?: boolean
  readonly types: { readonly [type: string]: TypePosition | undefined }
}

export interface TypePosition {
  /** All changes before this moment, in milliseconds by the account's clock, are in the mirror. */
  readonly since: number
  /** Set once the mirror has all records. */
  readonly isComplete: boolean
  /** How many records the account had when the mirror began to be filled. */
  readonly total?: number
  /** The cursor of the export that the mirror is being filled by. */
  readonly export?: string
}

/** How far the types of an account were followed, and who its users are. */
export interface Followed extends Pick<Position, 'types'> {
  readonly userIds: UserIds
}

/** The name of the position of an account's feed. */
export const MIRROR_FEED = 'mirror feed'

export async function readPosition(journal: Pick<JournalReader, 'position'>): Promise<Position | undefined> {
  const text = await journal.position(MIRROR_FEED)
  return text === undefined ? undefined : (JSON.parse(text) as Position)
}

export const writePosition = (writer: StoreWriter, position: Position): Promise<void> => writer.setPosition(MIRROR_FEED, JSON.stringify(position))

/** For how long a process takes a position for the present one. What a mirror loses is taken from it only later. */
export const KNOWN_MS = 500

interface Known {
  readonly until: number
  readonly position: Promise<Position | undefined>
}

const known = new WeakMap<Store, IdleCache<number, Known>>()

/** The position of a workspace, as it was a moment ago at most. */
export function knownPosition(store: Store, workspace: number): Promise<Position | undefined> {
  const workspaces = known.get(store) ?? new IdleCache<number, Known>()
  known.set(store, workspaces)
  const now = performance.now()
  const cached = workspaces.get(workspace)
  if (cached && now < cached.until) return cached.position
  const position = readPosition(store.journal(workspace))
  workspaces.set(workspace, { until: now + KNOWN_MS, position })
  position.catch(() => workspaces.delete(workspace))
  return position
}
