import { DEPTH, FAULTS } from './client-limits.ts'

/** Every limit that applies to callers; schemas and docs are generated from it. */
export const LIMITS = {
  text: 255,
  longText: 32_000,
  /** The text that `contains` and `startsWith` look for. */
  searchText: 256,
  name: 80,
  moneyDigits: 15,
  moneyDecimals: 4,
  /** Fields of one custom object, custom objects in a workspace, and fields of all of them together. */
  customFields: 500,
  customObjects: 200,
  allCustomFields: 10_000,
  /** Fields that a workspace may add to one record type, retired ones included. */
  ownFields: 200,
  /** Values in one `in` filter, names in one `Select`, scopes on one key. */
  list: 1000,
  /** How deep `any` and `not` may be nested in Filters, and the values that all of their comparisons may have. */
  filterDepth: 4,
  filterValues: 5000,
  /** Matches of each record type that a search ranks, and records in a page of it. */
  searched: 200,
  defaultSearched: 20,
  /** Records that may refer to one that is deleted: they are emptied in the same step. */
  references: 1000,
  page: 1000,
  defaultPage: 100,
  /** Bytes of long values in one page: it ends before the record that exceeds them, unless that is its first. */
  pageBytes: 4_194_304,
  /** A cursor contains the last value of a page, which may be a text of the maximum length. */
  cursor: 262_144,
  /** Notes, comments and memberships shown on a record before `get_many_notes` takes over. */
  children: 100,
  /** Owners named in a summary. */
  owners: 100,
  /** Statuses or stages named in a summary. */
  states: 100,
  /** Newest records shown in a summary. */
  recent: 5,
  /** Days ahead that count as closing soon. */
  closingSoonDays: 30,
  bodyBytes: 1_048_576,
  /** Values in the input of one call: members, items and what holds them. */
  values: 100_000,
  depth: DEPTH,
  /** Calls in one batch. */
  batch: 1000,
  batchBytes: 16_777_216,
  /** Values in the input of one batch. */
  batchValues: 1_000_000,
  /** Events in a page. */
  events: 1000,
  defaultEvents: 100,
  /** A webhook's URL. */
  url: 2000,
  /** Calls that a key may not make and that get a line of the audit each, in a minute; further ones are counted. */
  refusals: 100,
  idempotencyKey: 255,
  batchId: 64,
  /** What one key may have at a time: long searches and summaries that wait or run, batches, streams of records, streams of events. */
  longReads: 128,
  batches: 64,
  recordStreams: 32,
  eventStreams: 1000,
  /** Resources that one MCP client has subscribed to. */
  subscriptions: 100,
  /** The highest limits that a workspace can be given: calls a minute of all its keys together, and how many users, keys and webhooks it may have. */
  workspaceCalls: 1_000_000,
  workspaceMembers: 10_000,
  /** Faults listed in one refusal, and those of them that name the nearest known name. */
  faults: FAULTS,
  suggestions: 10,
} as const

/** The largest amount of money that a number represents exactly: fifteen digits. */
export const LARGEST_MONEY = 10 ** LIMITS.moneyDigits - 1

/** What an idempotency key is made of, in words and as a test. */
export const IDEMPOTENCY_KEY = `1 to ${LIMITS.idempotencyKey} visible characters without spaces`
export const VISIBLE = '^[\\x21-\\x7e]+$'
const visible = new RegExp(VISIBLE)
export const isIdempotencyKey = (key: string, more = 0) => visible.test(key) && key.length <= LIMITS.idempotencyKey + more

/** The length of the suffix that a batch adds to its key for each call. */
export const BATCH_INDEX = '#999'.length
