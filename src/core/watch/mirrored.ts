import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { literalMaker } from '../../helpers/literal-maker.ts'
import type { Platform, StoredRecord, UserIds } from '../../platforms/platform.ts'
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

const rows = new WeakMap<RecordType, (record: StoredRecord) => StoredRecord>()

/** A record of the platform, with its own ids of users, as the tables take it: what has to have a value, and has none, has the default of the contract. */
export function rowOf(type: RecordType, record: StoredRecord): StoredRecord {
  let make = rows.get(type)
  if (!make) {
    make = rowMaker(type)
    rows.set(type, make)
  }
  return make(record)
}

function rowMaker(type: RecordType): (record: StoredRecord) => StoredRecord {
  const contract = recordType(type.name).fields
  const members = Object.keys(type.fields).map((name) => {
    const { required, kind, defaultValue = null } = contract[name] ?? {}
    const always = required || kind === 'boolean' ? defaultValue : null
    return [name, `storable(record[${JSON.stringify(name)}]) ?? ${JSON.stringify(always)}`] as const
  })
  return literalMaker('record', members, { storable })
}

/** PostgreSQL has no texts with a NUL. */
const storable = <T>(value: T): T => (typeof value === 'string' && value.includes('\0') ? (value.replaceAll('\0', '') as T) : value)

/** A row of the mirror, or those of its fields that were read, as the platform would answer it. */
export const recordOf = (type: RecordType, row: StoredRecord, userIds: UserIds): StoredRecord => toRecordInPlace(type, { ...row }, userIds)

/** The same for a row that is read for this alone, which is changed itself: a copy takes as long as reading it. */
export function toRecordInPlace(type: RecordType, row: StoredRecord, { fromPlatform }: UserIds): StoredRecord {
  replaceUsers(row, fromPlatform)
  for (const name of absentIn(type)) if (name in row) row[name] = null
  return row
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
export const withOurUsers = (record: StoredRecord, { fromPlatform }: UserIds): StoredRecord => replaceUsers({ ...record }, fromPlatform)

/** The reverse. */
export const withTheirUsers = (record: StoredRecord, { toPlatform }: UserIds): StoredRecord => replaceUsers({ ...record }, toPlatform)

function replaceUsers(record: StoredRecord, other: (id: string) => string | undefined): StoredRecord {
  for (const field of USER_FIELDS) {
    const id = record[field]
    if (typeof id === 'string') record[field] = other(id) ?? id
  }
  return record
}
