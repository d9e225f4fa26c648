import { SETTINGS_TABLE } from '../src/config/settings.ts'
import { LIMITS } from '../src/contract/limits.ts'
import { cell, page } from './markdown.ts'

interface Row {
  readonly what: string
  readonly why: string
  /** What a caller gets who meets it. */
  readonly gets: string
}

const REFUSED = '`invalid_input` with the field, and the limit as what was expected'
const SHARE = '`rate_limited` that names the share, with `Retry-After`'

const AND_RETIRED = '; as many again may be retired'
const TOO_MANY_FIELDS = `${REFUSED}; to make room, an admin retires fields with [\`update_custom_field\`](operations/update_custom_field.md), or deletes them with [\`delete_custom_field\`](operations/delete_custom_field.md)`

/** Every limit of the contract. The compiler asks for a row for each. */
const ROWS: { readonly [name in keyof typeof LIMITS]: Row } = {
  text: { what: 'characters of a text', why: 'it is indexed, and shown in tables', gets: REFUSED },
  longText: { what: 'characters of a description, note or comment', why: 'it is searched and held in memory whole', gets: REFUSED },
  searchText: {
    what: 'characters that `contains` and `startsWith` look for',
    why: 'comparing a long text at every place of every record takes long',
    gets: REFUSED,
  },
  name: { what: 'characters of a name, as of a custom object', why: 'it becomes a name in the CRM', gets: REFUSED },
  moneyDigits: { what: 'digits of an amount', why: 'a number holds as many exactly', gets: REFUSED },
  moneyDecimals: { what: 'decimals of an amount', why: 'sums are exact in ten-thousandths', gets: REFUSED },
  customFields: { what: `fields of a custom object${AND_RETIRED}`, why: 'a search reads all definitions', gets: TOO_MANY_FIELDS },
  customObjects: {
    what: 'custom objects in a workspace with fields in use; as many may have retired ones',
    why: 'a search reads all definitions',
    gets: TOO_MANY_FIELDS,
  },
  allCustomFields: {
    what: `fields of all custom objects of a workspace together${AND_RETIRED}`,
    why: 'a search reads all definitions',
    gets: TOO_MANY_FIELDS,
  },
  ownFields: {
    what: 'fields that a workspace may add to one record type, retired ones included',
    why: 'every process holds all definitions',
    gets: REFUSED,
  },
  list: { what: 'values of an `in`, names in `Select`, scopes of a key', why: 'each is compared with each record', gets: REFUSED },
  filterDepth: { what: 'levels of `any` and `not` in Filters', why: 'each level is evaluated for each record', gets: REFUSED },
  filterValues: { what: 'values that all comparisons of Filters have together', why: 'a statement takes so many', gets: REFUSED },
  searched: {
    what: 'newest matches of each record type that `search` ranks',
    why: 'a word may be in every record',
    gets: 'the best of them; get-many operations list all',
  },
  defaultSearched: { what: 'records in a page of `search` without `Limit`', why: '', gets: 'the page, and `NextCursor` for the next' },
  references: {
    what: 'records that may refer to one that is deleted',
    why: 'they are emptied in the same transaction, each with a line of the audit',
    gets: '`conflict`; give them another reference first',
  },
  batchId: { what: 'characters of a `BatchID`', why: 'each change of the batch has it', gets: REFUSED },
  page: { what: 'records in a page', why: 'a page is held in memory', gets: REFUSED },
  defaultPage: { what: 'records in a page without `Limit`', why: '', gets: 'the page, and `NextCursor` for the next' },
  pageBytes: {
    what: 'bytes of long values in a page',
    why: 'a page is held in memory',
    gets: 'a page with fewer records, and `NextCursor` for the next; one record always fits',
  },
  cursor: { what: 'characters of a cursor', why: 'it holds the last value of a page', gets: REFUSED },
  children: {
    what: 'notes, comments and campaigns shown on a record',
    why: 'a record may have any number of them',
    gets: 'the newest, and their number; all of them by their own operation',
  },
  owners: { what: 'owners in a summary', why: 'an answer that fits', gets: 'those with the most records' },
  states: { what: 'statuses or stages in a summary', why: 'an answer that fits', gets: 'those with the most records, and `Others` for the rest' },
  recent: { what: 'newest records in a summary', why: 'an answer that fits', gets: 'the newest' },
  closingSoonDays: { what: 'days ahead that count as closing soon', why: '', gets: '' },
  bodyBytes: { what: 'bytes of the body of a call', why: 'it is held in memory', gets: '`too_large`' },
  values: { what: 'values in the input of a call', why: 'judging them takes time', gets: '`too_large`' },
  depth: { what: 'levels of lists and objects in an input', why: 'judging them takes time', gets: '`invalid_input`' },
  batch: { what: 'calls in a batch', why: 'other callers have their turn in between', gets: REFUSED },
  batchBytes: {
    what: 'bytes of the body of a batch, and of its answer; a call in it may have as many as one on its own',
    why: 'both are held in memory',
    gets: '`too_large`; a read beyond it is refused, a write is answered without its result',
  },
  batchValues: { what: 'values in the input of a batch', why: 'judging them takes time', gets: '`too_large`' },
  events: { what: 'events in a page', why: 'a page is held in memory', gets: REFUSED },
  defaultEvents: { what: 'events in a page without `Limit`', why: '', gets: 'the page, and `NextCursor` for the next' },
  url: { what: 'characters of the URL of a webhook', why: 'it is stored, and shown in tables', gets: REFUSED },
  refusals: {
    what: 'calls in a minute that a key may not make, with a line of the audit each',
    why: 'a line is a write to disk',
    gets: '`forbidden` as before; further ones are counted in one line',
  },
  idempotencyKey: { what: 'characters of an idempotency key', why: 'it is stored with every write', gets: REFUSED },
  longReads: { what: 'long searches and summaries of one key that wait or run', why: 'callers take turns, and what waits is held in memory', gets: SHARE },
  batches: { what: 'batches of one key under way', why: 'each holds its answers in memory', gets: SHARE },
  recordStreams: { what: 'streams of records (NDJSON) of one key', why: 'each holds a page in memory', gets: SHARE },
  workspaceCalls: {
    what: 'calls a minute that a workspace can be limited to',
    why: 'all of its keys together count',
    gets: `${REFUSED}; a call beyond the limit of its workspace gets \`rate_limited\` with \`Retry-After\``,
  },
  workspaceMembers: {
    what: 'users, keys and webhooks each that a workspace can be limited to',
    why: 'they are counted when one is added',
    gets: `${REFUSED}; what would be beyond the limit of its workspace gets \`conflict\``,
  },
  eventStreams: { what: 'streams of events of one key', why: 'each holds a connection', gets: SHARE },
  subscriptions: { what: 'resources that an MCP client subscribes to', why: 'each event is compared with all of them', gets: 'an error that says so' },
  faults: { what: 'faults listed in a refusal', why: 'an answer that fits', gets: 'the first of them, and that there are more' },
  suggestions: { what: 'faults of a refusal that name the nearest known name', why: 'looking for it takes time', gets: 'the other faults without one' },
}

/** The settings that are limits. */
const SETTINGS = [
  'callTimeout',
  'rateLimit',
  'memory',
  'idempotencyHours',
  'keepChangesDays',
  'webhookTimeout',
  'webhookAttempts',
  'webhookPauseAfter',
] as const

/** `docs/limits.md`: every limit, why it is there and what a caller gets who meets it. */
export function limitsPage(): string {
  return page([
    '# Limits',
    'No caller can keep the others waiting, and none can make the service grow without bound. Limits of one key are those of one process; of what a key may have at a time, a workspace may have four times as much.',
    [
      '| limit | | why | a caller who meets it gets |',
      '|---:|---|---|---|',
      ...Object.entries(ROWS).map(
        ([name, { what, why, gets }]) => `| ${LIMITS[name as keyof typeof LIMITS].toLocaleString('en')} | ${cell(what)} | ${cell(why)} | ${cell(gets)} |`,
      ),
    ].join('\n'),
    '## Time',
    'A call may take `CRM_CALL_TIMEOUT` seconds. The header `Request-Timeout: 2.5` shortens that for one call; for a batch it is the time of all its calls, for a stream that of each page. A batch without it may take ten times as long as a call; its calls that have no turn by then are not executed. A call that takes longer is answered with `too_expensive`, 422, and its query is ended in the store. So is that of a read whose caller hangs up; a batch stops before its next call. A single write that has arrived is executed even if its caller hangs up.',
    'A search that turns out long goes on in a thread of its own (SQLite) or on its share of the connections (PostgreSQL: a quarter of `pool`, half of it for one key alone). Where more of them wait than can run, workspaces take turns, and in each of them keys: a thousand searches of one key do not stand before one of another. Writes take turns in the same way.',
    'A request has 10 seconds for its headers, which may have 16 KiB, and 30 seconds to arrive as a whole. A slower client is answered with `invalid_input`, and the connection is closed.',
    '## Memory',
    'Bodies and pages of 64 KiB or more, batches, and answers that are not sent yet take memory, of which a process has `CRM_MEMORY` for all of them together: by default half of its heap. A body counts four times its length and a hundred bytes a value, a page four times what its records may have at most, an answer twice its length. A call for which there is no memory left waits, and its body is not read meanwhile; callers take turns, and one key has at most half of what the others leave, unless with a single call. After 10 seconds, or its own `Request-Timeout`, it is answered with `rate_limited` and `Retry-After`. A call that needs more than there is in all is `too_large`. Smaller calls never wait.',
    '## Sign-in',
    'After 10 failures in a minute, wrong keys from the same address are answered with `rate_limited`, in all processes of a store together. A valid key is never refused for the failures of others.',
    '## Settings',
    [
      '| variable | default | |',
      '|---|---|---|',
      ...SETTINGS.map((name) => {
        const { variable, fallback = '', help } = SETTINGS_TABLE[name] as { variable: string; fallback?: string; help: string }
        return `| \`${variable}\` | ${fallback} | ${cell(help)} |`
      }),
    ].join('\n'),
  ])
}
