/** What a platform in a package of its own is made of: published as `crm-connector/platform`. */
export { matches, sorting } from './crms/engine/comparison.ts'
export { Connection, type ConnectionOptions, type CrmAnswer, type CrmRequest, retryAfterMs } from './crms/engine/connection.ts'
export type { Created, CrmDriver, Definition, DriverPage, DriverQuery, PerItem } from './crms/engine/driver.ts'
export { DriverError, type Unknown } from './crms/engine/errors.ts'
export type { Authorization, CrmKind, CrmOptions, Examine, Examined, OpenOptions, TokenStore, Tokens } from './crms/engine/kind.ts'
export { openCrmPlatform } from './crms/engine/open.ts'
export type { OptionValues } from './crms/engine/option-values.ts'
export { Session, type Signed, type SignIn } from './crms/engine/session.ts'
export type { ContractTable, ContractTables, Place, Table, Tables } from './crms/engine/tables.ts'
export { type Codec, extrasOf, fieldOf, limitsOf, placeOf, toNewRow, toOurWord, toRecord, toRow, toTheirWord } from './crms/engine/translation.ts'
export type {
  Condition,
  EarlierAttempt,
  Exported,
  ExtraField,
  Failure,
  FieldLimits,
  Found,
  KnownAttempt,
  Order,
  Platform,
  Query,
  Quota,
  Reader,
  RequestGroup,
  Retry,
  StoredRecord,
  Supports,
  Tally,
  TallyQuery,
  UserIds,
  Value,
  WriteOptions,
  Writer,
} from './platform.ts'
export type {
  AuditLine,
  AuditReport,
  EventQuery,
  Expiry,
  IdempotencyEntry,
  JournalReader,
  JournalWriter,
  RateLimitState,
  Store,
  StoredEvent,
  StoreWriter,
  Workspace,
} from './store.ts'
