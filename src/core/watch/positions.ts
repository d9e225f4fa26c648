import type { UserIds } from '../../platforms/platform.ts'
import type { JournalReader, StoreWriter } from '../../platforms/store.ts'

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
