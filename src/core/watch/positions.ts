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
}

/** The name of the position of an account's feed. */
export const MIRROR_FEED = 'mirror feed'

export async function readPosition(journal: Pick<JournalReader, 'position'>): Promise<Position | undefined> {
  const text = await journal.position(MIRROR_FEED)
  return text === undefined ? undefined : (JSON.parse(text) as Position)
}

export const writePosition = (writer: StoreWriter, position: Position): Promise<void> => writer.setPosition(MIRROR_FEED, JSON.stringify(position))
