import type { CampaignSize, LeftOut, UserIds } from '../../platforms/platform.ts'
import type { JournalReader, StoreWriter } from '../../platforms/store.ts'

/** How far an account was followed. */
export interface Position {
  /** The account whose records the mirror has. */
  readonly account: string
  /** The connection that it was reached by when the mirror was begun. */
  readonly connection?: string
  /** The accounts that were followed before. */
  readonly earlier?: readonly string[]
  /** The connections that others were reached by. */
  readonly earlierConnections?: readonly string[]
  /** Set where another account was found behind the connection while it was open: its name is known once it is opened anew. */
  readonly isUnnamed?: boolean
  /** How a search asks for records of the account that the mirror does not have; undefined where the account tells so and was not asked yet. */
  readonly leftOut?: LeftOut
  /** Set while the mirror of another account, or one that is too old, is erased. */
  readonly isErasing?: boolean
  /** The notes, comments or memberships that the account does not list to us. */
  readonly withheld?: readonly string[]
  readonly types: { readonly [type: string]: TypePosition | undefined }
}

export interface TypePosition {
  /** All changes before this moment, in milliseconds by the account's clock, are in the mirror. */
  readonly since: number
  /** Set once the mirror has all records. */
  readonly isComplete: boolean
  /** Set while the account does not let us read the type: what the mirror has is not answered with. */
  readonly isRefused?: boolean
  /** The fields of the account that its rows have beyond the contract's, as a digest. */
  readonly extraFields?: string | undefined
  /** How many records the account had when the mirror began to be backfilled. */
  readonly total?: number
  /** The cursor of the export that the mirror is being backfilled by. */
  readonly export?: string
  /** The ids of records that the store has not taken. */
  readonly untaken?: readonly string[]
  /** Campaigns that also have members who are no leads, as they were when they were read last. */
  readonly campaigns?: ReadCampaigns
}

export interface ReadCampaigns {
  readonly [campaign: string]: ReadCampaign
}

/** How many members a campaign had, and of how many of them the mirror had a row. */
export interface ReadCampaign extends CampaignSize {
  readonly rows: number
}

/** How far the types of an account were followed, and who its users are. */
export interface Followed extends Pick<Position, 'types'> {
  readonly userIds: UserIds
}

/** Up to when a mirror has all changes of these types, or of all that the account lets us read; undefined where it cannot answer for one of them. */
export function completeSince(position: Position | undefined, names = readable(position)): number | undefined {
  const known = names.map((name) => position?.types[name])
  return known.length > 0 && known.every(answers) ? Math.min(...known.map((type) => type?.since as number)) : undefined
}

/** Whether the mirror answers for a type: it has all of its records, and the account would still show them. */
export const answers = (type: TypePosition | undefined): boolean => type?.isComplete === true && !type.isRefused

const readable = (position: Position | undefined) => Object.entries(position?.types ?? {}).flatMap(([name, type]) => (type?.isRefused ? [] : [name]))

/** The name of the position of an account's feed. */
export const MIRROR_FEED = 'mirror feed'

/** The name of the position of a mirror whose connection was deleted: it is to be erased. */
export const LEFT_MIRROR = 'mirror left'

export async function readPosition(journal: Pick<JournalReader, 'position'>): Promise<Position | undefined> {
  const text = await journal.position(MIRROR_FEED)
  return text === undefined ? undefined : (JSON.parse(text) as Position)
}

export const writePosition = (writer: StoreWriter, position: Position): Promise<void> => writer.setPosition(MIRROR_FEED, JSON.stringify(position))
