import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Platform, StoredRecord, UserIds, Value } from '../../platforms/platform.ts'
import type { Store } from '../../platforms/store.ts'
import { typeOn } from '../call/extension.ts'
import { withTransactionRetry } from '../call/transaction-retry.ts'
import { showingAttached } from './attached/reader.ts'

/** The record types that a mirror has, what others refer to first. */
const MIRRORED = ['Company', 'Contact', 'Campaign', 'Lead', 'Opportunity', 'Case', 'CustomObject'] as const

/** The record types that a mirror of a platform has, with the platform's fields. One without a date of its last change cannot be followed. */
export const mirroredTypes = (platform: Platform): RecordType[] =>
  MIRRORED.map((name) => typeOn(platform, recordType(name))).filter(({ fields }) => fields.UpdatedDate?.absent === undefined)

export const isMirrored = ({ name }: RecordType) => (MIRRORED as readonly string[]).includes(name)

const stores = new WeakMap<Store, WeakMap<Platform['supports']['extras'], Store>>()

/** The store with the fields that a platform has and the contract does not, which are stored like those that a workspace defines. */
export function mirrorStore(store: Store, { supports: { extras } }: Platform): Store {
  const byExtras = stores.get(store) ?? new WeakMap<Platform['supports']['extras'], Store>()
  stores.set(store, byExtras)
  let known = byExtras.get(extras)
  if (!known) {
    const own = { indexed: false, unique: false }
    const stored = Object.entries(extras).map(([type, fields]) => [
      type,
      Object.fromEntries(Object.entries(fields ?? {}).map(([name, field]) => [name, { ...field, own }])),
    ])
    const extended = store.withOwnFields({ extras: Object.fromEntries(stored), limits: {}, retired: {} })
    known = withTransactionRetry({ ...extended, mirror: (workspace, options) => showingAttached(extended.mirror(workspace, options)) })
    byExtras.set(extras, known)
  }
  return known
}

/** A record of the platform, with its own ids of users, as the tables take it: what has to have a value, and has none, has the default of the contract. */
export function rowOf(type: RecordType, record: StoredRecord): StoredRecord {
  const row: StoredRecord = {}
  for (const [name, always] of columnsOf(type)) row[name] = storable(record[name]) ?? always
  return row
}

const columns = new WeakMap<RecordType, readonly (readonly [string, Value])[]>()

/** The fields of a type, and what they have where the platform has nothing, memoised since every row needs them. */
function columnsOf(type: RecordType): readonly (readonly [string, Value])[] {
  let known = columns.get(type)
  if (!known) {
    const contract = recordType(type.name).fields
    known = Object.keys(type.fields).map((name) => {
      const { required, kind, defaultValue } = contract[name] ?? {}
      return [name, required || kind === 'boolean' ? ((defaultValue as Value | undefined) ?? null) : null]
    })
    columns.set(type, known)
  }
  return known
}

/** PostgreSQL has no texts with a NUL. */
const storable = <T>(value: T): T => (typeof value === 'string' && value.includes('\0') ? (value.replaceAll('\0', '') as T) : value)

/** A row of the mirror, or those of its fields that were read, as the platform would answer it. */
export function recordOf(type: RecordType, row: StoredRecord, userIds: UserIds): StoredRecord {
  const record = withOurUsers(row, userIds)
  for (const name of absentIn(type)) if (name in record) record[name] = null
  return record
}

const absent = new WeakMap<RecordType, readonly string[]>()

/** The fields that the platform lacks, memoised. All records have users. */
function absentIn(type: RecordType): readonly string[] {
  let known = absent.get(type)
  if (!known) {
    known = Object.entries(type.fields).flatMap(([name, field]) => (field.absent === undefined || USER_FIELDS.includes(name) ? [] : [name]))
    absent.set(type, known)
  }
  return known
}

/** The fields that hold a user. Rows have the platform's own ids in them, and so stay right when a user of ours gets another PlatformUserID. */
const USER_FIELDS: readonly string[] = ['OwnerID', 'AuthorID']

/** A copy of a record with our users. One that is not among them keeps the platform's id. */
export const withOurUsers = (record: StoredRecord, { fromPlatform }: UserIds): StoredRecord => withUsers(record, fromPlatform)

/** The reverse. */
export const withTheirUsers = (record: StoredRecord, { toPlatform }: UserIds): StoredRecord => withUsers(record, toPlatform)

function withUsers(record: StoredRecord, other: (id: string) => string | undefined): StoredRecord {
  const copy = { ...record }
  for (const field of USER_FIELDS) {
    const id = copy[field]
    if (typeof id === 'string') copy[field] = other(id) ?? id
  }
  return copy
}
