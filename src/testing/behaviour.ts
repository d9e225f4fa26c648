import type { Crm } from '../contract/client/client.ts'
import type { CallOptions } from '../contract/client/transport.ts'
import type { CrmError, ErrorCode, Fault } from '../contract/errors.ts'
import type { Role } from '../contract/records/user.ts'
import type { Described, Values } from './values.ts'

/** The client, with a `call` that accepts inputs that do not type-check. */
export type Client = Omit<Crm, 'call'> & { call(operation: string, input?: unknown, options?: CallOptions): Promise<unknown> }

/** The connection under test. It stays open for a whole run. */
export interface Connection {
  /** The key of an admin of the first workspace, with all five tiers. */
  readonly adminKey: string
  /** The key of the only admin of a second workspace, with all four tiers. */
  readonly otherAdminKey: string
  /** A client that acts with this key. The key is not looked at before the first call. */
  signIn(key: string): Crm
  close(): Promise<void>
  /**
   * Leaves a dead letter of a webhook of the first workspace behind, and its last attempt, as a target that has failed for long would, and
   * answers with its DeliveryID. Without it, dead letters are not tested, and deliveries and attempts only as empty lists.
   */
  readonly leaveDeadLetter?: (webhookId: string) => Promise<string>
  /** The words this platform takes for statuses and stages, where they differ from the usual ones. */
  readonly values?: Partial<Values>
  /**
   * Makes a user on a platform that has users of its own, in the account of the first or of the second workspace, and answers with their id
   * there.
   */
  readonly makePlatformUser?: (workspace: 'first' | 'second') => Promise<string>
  /**
   * Makes the platform of the first workspace lose the answer to the next write, and carry it out only so many seconds later. While `work` runs, time passes by `pass`
   * alone, for the service and for the platform. Without it, late writes are not tested.
   */
  readonly loseNextWrite?: (seconds: number, work: (pass: (seconds: number) => Promise<void>) => Promise<void>) => Promise<void>
  /** What the platform cannot do, so that it is proven to be refused. */
  readonly lacks?: readonly Lack[]
  /** Counts the retries so far, of batches and of what is in them, where the clients of `signIn` or the platform retry by themselves. */
  readonly resent?: () => number
}

/** What a platform may lack. */
export type Lack =
  /** Batches that are all or nothing. */
  | 'atomic'
  /** Restoring deleted records. */
  | 'restore'
  /** Erasing records for good. */
  | 'erase'
  /** Changing and deleting the definitions of user-defined fields. */
  | 'definitions'
  /** Fields that a workspace defines itself: those of a CRM are defined there. */
  | 'own fields'
  /** The authors of notes. */
  | 'note authors'
  /** The authors of comments. */
  | 'comment authors'
  /** Comments that are published. */
  | 'published comments'
  /** A status for each member of a campaign. */
  | 'member statuses'
  /** An external id for each member of a campaign. */
  | 'member external ids'
  /** Campaigns of its own: lists that stand in for them have no owner, and no two have the same name. */
  | 'native campaigns'
  /** Leads that stay when they are converted: such a lead is the contact that it becomes. */
  | 'converted leads'
  /** Counters, so that a summary need not count all records. */
  | 'maintained counters'
  /** Timestamps in milliseconds. */
  | 'milliseconds'
  /** Modified dates that only writes move. */
  | 'steady dates'
  /** Predicting in a dry run when and by whom a record will be written. */
  | 'predictable dry run'
  /** Ids that sort by time. */
  | 'sorted ids'
  /** Every field as in the contract: as long, as precise, and with a value only where one is given. */
  | 'full fields'
  /** Any text as a telephone number. */
  | 'any phone'
  /** Capital letters in e-mail addresses: they are stored in lower case. */
  | 'capital addresses'
  /** Amounts below zero. */
  | 'negative amounts'
  /** Whitespace at the start and end of a text. */
  | 'surrounding whitespace'
  /** User-defined Booleans without a value. */
  | 'empty booleans'
  /** User-defined texts that are empty. */
  | 'empty texts'

export interface Person {
  readonly crm: Client
  readonly userId: string
  readonly key: string
  readonly keyId: string
}

export interface PersonDraft {
  readonly role?: Role
  /** The id of the user this one reports to. */
  readonly manager?: string
  /** All that the role may have, unless given. */
  readonly scopes?: string[]
  /** The admin who makes the user, and with that the workspace they are in; the first one's unless given. */
  readonly by?: Client
}

/** What a behaviour has to work with. The store is shared with all others, so each keeps to names, owners and records of its own. */
export interface Context {
  /** An admin of the first workspace. */
  readonly crm: Client
  /** The only admin of the second workspace. */
  readonly other: Client
  readonly values: Values
  /** Whether the platform cannot do something. */
  lacks(what: Lack): boolean
  /** What the platform says of a field. */
  described(type: string, field: string): Described
  /** Whether the platform sets a field of its own by itself, which the contract does not have and no call can set. */
  derives(type: string, field: string): boolean
  /** Makes a new user without a key, and answers with their id. */
  newUser(draft?: Omit<PersonDraft, 'scopes'>): Promise<string>
  /** Makes a user of the platform's own, and resolves to their id there; any text where the platform has none. */
  platformUser(): Promise<string>
  /** Makes a new user with a key. A new member sees nothing but what they create. */
  as(draft?: PersonDraft): Promise<Person>
  signIn(key: string): Client
  /** Leaves a dead letter behind, where the connection can. */
  readonly leaveDeadLetter: Connection['leaveDeadLetter']
  /** Makes the platform carry out the next write late, where the connection can. */
  readonly loseNextWrite: Connection['loseNextWrite']
  /** The name of custom objects with the fields of BOAT, which behaviours share that need any object at all: not every account can have many. */
  readonly boats: string
  /** How many batches have been sent again so far. */
  resent(): number
  /** A name that no other behaviour uses, fit for every field and for an ObjectName. */
  unique(prefix: string): string
  /** Proves that a call is refused with this code and, where given, lists a fault like this one. */
  refused(call: Promise<unknown>, code: ErrorCode, fault?: Partial<Fault>): Promise<CrmError>
}

export interface Behaviour {
  /** States what is so. */
  readonly title: string
  readonly run: (context: Context) => Promise<void>
  /** What it cannot do without: where the platform lacks that, it is proven to be refused instead. */
  readonly needs?: Lack | undefined
  /** Whether it is about batches, or conversions, that are sent once: it is restarted where it failed and one had to be resent, since what was before is not known then. */
  readonly sentOnce?: boolean | undefined
}

export interface Theme {
  readonly name: string
  readonly behaviours: readonly Behaviour[]
}

export function behaviour(title: string, run: (context: Context) => Promise<void>, more: Pick<Behaviour, 'needs' | 'sentOnce'> = {}): Behaviour {
  return { title, run, ...more }
}

export function theme(name: string, behaviours: readonly Behaviour[]): Theme {
  return { name, behaviours }
}
