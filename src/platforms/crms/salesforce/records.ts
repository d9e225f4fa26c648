import { recordType } from '../../../contract/operations.ts'
import { CustomObject } from '../../../contract/records/custom-object.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { StoredRecord, Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { fieldOf, placeOf, toNewRow, toRecord, toRow } from '../engine/translation.ts'
import type { Row } from './api.ts'
import { codec, type SalesforcePlace } from './codec.ts'
import { type CustomTable, valuePlaces } from './custom-tables.ts'
import { membershipId } from './memberships.ts'

type Values = { readonly [name: string]: Value }

/** A row of Salesforce as a record of ours, with only these of its fields where they are named. */
export function recordOf(type: string, table: Table, row: Row, fields?: readonly string[]): StoredRecord {
  const { id } = recordType(type)
  const record = orNobody(toRecord(table, codec, row, fields && new Set([id, ...fields])))
  return type === 'Membership' ? { ...record, [id]: membershipId(record.LeadID, record.CampaignID) } : record
}

function orNobody(record: StoredRecord): StoredRecord {
  for (const field of ['OwnerID', 'AuthorID']) if (record[field] === null) record[field] = NOBODY
  return record
}

/** The same for a record of a custom object. */
export function customRecordOf(custom: CustomTable, row: Row): StoredRecord {
  const read = toRecord(custom.table, codec, row)
  const names = new Set(custom.definitions.map(({ FieldName }) => FieldName))
  const values = Object.entries(read).filter(([name, value]) => names.has(name) && value !== null)
  const own = Object.entries(read).filter(([name]) => !names.has(name))
  return orNobody({ OwnerID: null, ...Object.fromEntries(own), ObjectName: custom.name, Values: Object.fromEntries(values) as Values })
}

/** Refuses values of fields that the account had when the call began and has no longer: they would be left out, and the call answered as a success. */
export function refuseGone(type: string, table: Table, record: StoredRecord): void {
  const gone = Object.keys(record).filter((field) => !Object.hasOwn(table.fields, field) && !Object.hasOwn(recordType(type).fields, field))
  if (gone.length === 0) return
  const message = `${table.object} of Salesforce no longer has ${gone.join(', ')}, or no longer shows it to us.`
  throw new DriverError('platform_rejected', message, { errors: gone.map((field) => ({ field, code: 'unknown', message })) })
}

/** A new record as Salesforce takes it. */
export function bodyOf(table: Table, record: StoredRecord): Record<string, unknown> {
  return inOurNames(table, () => toNewRow(table, codec, record))
}

/** Some fields of a record as Salesforce takes them. What can only be set at creation is refused, unless it stays as it was. */
export function changesOf(table: Table, changes: StoredRecord, before: StoredRecord): Record<string, unknown> {
  const fixed = Object.keys(changes).filter((field) => (placeOf(table, field) as SalesforcePlace | undefined)?.createOnly)
  const moved = fixed.filter((field) => (changes[field] ?? null) !== (before[field] ?? null))
  if (moved.length > 0) {
    const message = `Salesforce takes ${moved.join(', ')} only when the record is created.`
    throw new DriverError('platform_rejected', message, { errors: moved.map((field) => ({ field, code: 'read_only', message })) })
  }
  const free = Object.fromEntries(Object.entries(changes).filter(([field]) => !fixed.includes(field)))
  return inOurNames(table, () => toRow(table, codec, free))
}

/** What a new record of a custom object consists of, in the names of its table. */
export function customDraft(custom: CustomTable, { Values, OwnerID }: StoredRecord): StoredRecord {
  return { ...known(custom, (Values ?? {}) as Values), ...(OwnerID !== undefined && { OwnerID }) }
}

/** What differs of a record of a custom object: what is no longer among its values is cleared. */
export function customChanges(custom: CustomTable, changes: StoredRecord, before: StoredRecord): StoredRecord {
  const [was, is] = [(before.Values ?? {}) as Values, (changes.Values ?? before.Values ?? {}) as Values]
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  const valueIn = (values: Values, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? null) : null)
  const differing = [...names]
    .filter((name) => JSON.stringify(valueIn(was, name)) !== JSON.stringify(valueIn(is, name)))
    .map((name) => [name, valueIn(is, name)])
  return { ...known(custom, Object.fromEntries(differing)), ...(changes.OwnerID !== undefined && { OwnerID: changes.OwnerID }) }
}

function known(custom: CustomTable, values: Values): Values {
  const places = new Set(valuePlaces(custom).map(([name]) => name))
  const strange = Object.keys(values).filter((name) => !places.has(name))
  if (strange.length === 0) return values
  const message = `${custom.name} has no field ${strange.join(', ')} in Salesforce that we could write to.`
  throw new DriverError('platform_rejected', message, { errors: strange.map((field) => ({ field, code: 'unknown', message })) })
}

/** Reports faults of values by our names of the fields. */
function inOurNames<T>(table: Table, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof DriverError) || !error.errors) throw error
    const errors = error.errors.map((fault) => ({ ...fault, field: fieldOf(table, fault.field) }))
    throw new DriverError(error.code, error.message, { errors })
  }
}

export const CUSTOM = CustomObject.name
