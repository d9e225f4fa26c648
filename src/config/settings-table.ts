import { READS } from '../contract/mirror-use.ts'

/** The default store beside a CRM, which cannot hold users, keys and the journal. */
export const JOURNAL_STORE = 'sqlite:./data/journal.db'

/** A setting. A flag overrides the variable, which overrides the file. */
export interface SettingRow {
  readonly flag?: string
  readonly variable?: string
  readonly fallback?: string
  readonly help: string
  /** All that it may be, where that is a closed set. */
  readonly values?: readonly string[]
  /** Values that are worth offering, where others are taken too. */
  readonly offered?: readonly string[]
  /** The message where it may not be set in the file, which comes with a folder and may be written by others. */
  readonly notInFile?: string
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const TRUTH = ['true', 'false']

/** The addresses that a platform can have. */
export const PLATFORM_ADDRESSES = 'sqlite:PATH, postgres://…, salesforce:https://…, hubspot:, espocrm:https://… or package:NAME:ADDRESS'

export const SETTINGS_TABLE = {
  platform: {
    flag: '--platform',
    variable: 'CRM_PLATFORM',
    fallback: 'sqlite:./data/crm.db',
    help: `where the records live: ${PLATFORM_ADDRESSES}`,
  },
  store: {
    flag: '--store',
    variable: 'CRM_STORE',
    help: `where users, keys and the journal live; the platform itself unless given, and ${JOURNAL_STORE} beside a CRM`,
  },
  host: { flag: '--host', variable: 'CRM_HOST', fallback: '127.0.0.1', help: 'the address to listen on' },
  port: { flag: '--port', variable: 'CRM_PORT', fallback: '8484', help: 'the port to listen on; 0 takes any free one' },
  publicUrl: {
    flag: '--public-url',
    variable: 'CRM_PUBLIC_URL',
    help: 'the address under which browsers and clients reach the service, such as https://crm.example.com; that of each request unless given',
  },
  processes: {
    flag: '--processes',
    variable: 'CRM_PROCESSES',
    fallback: 'auto',
    help: 'processes that answer calls: a number, or auto, which is one for each of more than two cores, and one on SQLite',
    offered: ['auto', '1', '2', '4', '8'],
  },
  adminKey: {
    variable: 'CRM_ADMIN_KEY',
    help: "the first admin's key, 32 or more visible characters; made at the first start unless given",
    notInFile: 'A secret does not belong in the file; use CRM_ADMIN_KEY.',
  },
  secretKeys: {
    variable: 'CRM_SECRET_KEYS',
    help: 'the keys that seal secrets in the store, comma-separated, each 32 bytes in base64 or hex: the first seals, all open; made in the file `secret-key` beside the store unless given',
    notInFile: 'A secret does not belong in the file; use CRM_SECRET_KEYS.',
  },
  oidcIssuer: {
    variable: 'CRM_OIDC_ISSUER',
    help: 'the OpenID Connect issuer with which people sign in to the console, such as https://login.example.com; off unless given',
  },
  oidcClientId: { variable: 'CRM_OIDC_CLIENT_ID', help: 'the id of this service there' },
  oidcClientSecret: {
    variable: 'CRM_OIDC_CLIENT_SECRET',
    help: 'its secret; a public client, which has none, is protected by PKCE alone',
    notInFile: 'A secret does not belong in the file; use CRM_OIDC_CLIENT_SECRET.',
  },
  oidcName: { variable: 'CRM_OIDC_NAME', fallback: 'your organisation', help: 'what the sign-in page calls the issuer' },
  oidcScopes: { variable: 'CRM_OIDC_SCOPES', fallback: 'openid email profile', help: 'the scopes that are requested there; some issuers have one for groups' },
  sessionHours: { variable: 'CRM_SESSION_HOURS', fallback: '12', help: 'how long a person stays signed in, however active they are' },
  currency: {
    flag: '--currency',
    variable: 'CRM_CURRENCY',
    help: 'the currency that the console shows amounts in, such as EUR: a code of ISO 4217; plain numbers unless given',
  },
  logLevel: { flag: '--log-level', variable: 'CRM_LOG_LEVEL', fallback: 'info', help: LOG_LEVELS.join(', '), values: LOG_LEVELS },
  rateLimit: { flag: '--rate-limit', variable: 'CRM_RATE_LIMIT', help: 'calls a minute for each key, in all processes of a store together; off unless given' },
  callTimeout: {
    flag: '--call-timeout',
    variable: 'CRM_CALL_TIMEOUT',
    fallback: '30',
    help: 'seconds a call may take; the header Request-Timeout can shorten it for one',
  },
  memory: {
    flag: '--memory',
    variable: 'CRM_MEMORY',
    help: 'megabytes that large calls of a process may use together, 32 or more; half of its heap unless given',
  },
  corsOrigin: { flag: '--cors-origin', variable: 'CRM_CORS_ORIGIN', help: 'origins whose pages may call, comma-separated, or *; off unless given' },
  trustProxy: {
    flag: '--trust-proxy',
    variable: 'CRM_TRUST_PROXY',
    help: 'proxies whose X-Forwarded-For is believed: true, a count of hops, or addresses; off unless given',
  },
  idempotencyHours: { flag: '--idempotency-hours', variable: 'CRM_IDEMPOTENCY_HOURS', fallback: '24', help: 'how long an idempotency key is known' },
  keepChangesDays: {
    flag: '--keep-changes-days',
    variable: 'CRM_KEEP_CHANGES_DAYS',
    help: 'how long changes and events are kept, and never shorter than idempotency keys; forever by default',
  },
  webhookPrivate: {
    flag: '--webhook-private',
    values: TRUTH,
    variable: 'CRM_WEBHOOK_PRIVATE',
    fallback: 'false',
    help: 'true lets webhooks call targets on private networks and on this machine',
  },
  webhookTimeout: { flag: '--webhook-timeout', variable: 'CRM_WEBHOOK_TIMEOUT', fallback: '10', help: 'seconds a webhook’s target may take' },
  webhookBackoff: {
    flag: '--webhook-backoff',
    variable: 'CRM_WEBHOOK_BACKOFF',
    fallback: '5',
    help: 'seconds before the second attempt; each pause is about three times the one before, a day at most',
  },
  webhookAttempts: { flag: '--webhook-attempts', variable: 'CRM_WEBHOOK_ATTEMPTS', fallback: '10', help: 'attempts before an event becomes a dead letter' },
  webhookPauseAfter: {
    flag: '--webhook-pause-after',
    variable: 'CRM_WEBHOOK_PAUSE_AFTER',
    fallback: '72',
    help: 'hours of failing after which a webhook is paused',
  },
  watchInterval: {
    flag: '--watch-interval',
    variable: 'CRM_WATCH_INTERVAL',
    fallback: '120',
    help: 'seconds between two polls for what others have changed in a CRM, which becomes events; off (or 0) leaves all CRMs unwatched',
  },
  watchRequests: {
    flag: '--watch-requests',
    variable: 'CRM_WATCH_REQUESTS',
    fallback: '20000',
    help: 'requests a day that are sent to one account to look for changes, spent evenly; where none are given, half of what the account allows at most',
  },
  watch: {
    flag: '--watch',
    values: TRUTH,
    variable: 'CRM_WATCH',
    fallback: 'true',
    help: 'false leaves the CRM of the first workspace unwatched; `watch` beside the `platform` of another workspace in the file does so for that one',
  },
  reads: {
    flag: '--reads',
    values: READS,
    variable: 'CRM_READS',
    fallback: 'mirror',
    help: 'where get-many, summaries and search of the first workspace are answered from: mirror, once that of its CRM is complete, or crm; `reads` beside the `platform` of another workspace in the file does so for that one',
  },
  connectPrivate: {
    flag: '--connect-private',
    values: TRUTH,
    variable: 'CRM_CONNECT_PRIVATE',
    fallback: 'false',
    help: 'true lets connections that are made at run time lead to private networks, to this machine and to addresses without encryption',
  },
  url: {
    flag: '--url',
    variable: 'CRM_URL',
    help: 'the server that commands go through, rather than to the store itself',
    notInFile: 'A server that a key is sent to does not belong in the file; use CRM_URL or crm login.',
  },
  key: {
    variable: 'CRM_KEY',
    help: 'the key that commands act with: at CRM_URL, or else on the store itself',
    notInFile: 'A secret does not belong in the file; use CRM_KEY or crm login.',
  },
} as const satisfies { readonly [name: string]: SettingRow }

export type SettingName = keyof typeof SETTINGS_TABLE
export type Flags = { readonly [name in SettingName]?: string }
