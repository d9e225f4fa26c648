import { recordType } from '../../../contract/operations.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { StoredRecord, Value } from '../../platform.ts'
import type { Place, Table } from '../engine/tables.ts'
import { fieldOf, placeOf, toNewRow, toRecord, toRow } from '../engine/translation.ts'
import type { Row } from './api.ts'
import { codec } from './codec.ts'
import type { WithCurrencies } from './currencies.ts'
import { checked, withOptOut } from './rules.ts'

/** How records of one type are translated between EspoCRM and the contract. */
export interface Shape {
  /** What EspoCRM calls them. */
  readonly object: string
  readonly type: string
  readonly places: readonly Place[]
  place(field: string, name?: string): Place | undefined
  /** Our name of one of theirs. */
  named(theirs: string): string
  /** What of theirs is one of ours alone. */
  readonly fixed: { readonly [theirs: string]: Value }
  record(row: Row): StoredRecord
  newRow(record: StoredRecord): Row
  changed(changes: StoredRecord, before: StoredRecord): Row
  /** EspoCRM's id for one of ours; undefined where it cannot be one of these. */
  idOf(ours: string): string | undefined
}

/** Records whose fields are all in a table. */
export function recordShape(type: string, table: Table, withCurrencies: WithCurrencies): Shape {
  const { id } = recordType(type)
  const self: Place = { name: 'id', kind: 'id', readOnly: true }
  const texts = Object.entries(recordType(type).fields).flatMap(([field, { required, kind }]) => (required && TEXTS.has(kind) ? [field] : []))
  // People can leave empty in EspoCRM what always has a text here.
  const named = (record: StoredRecord) => ({ ...record, ...Object.fromEntries(texts.map((field) => [field, record[field] ?? ''])) })
  return {
    object: table.object,
    type,
    places: Object.values(table.fields).filter((place) => place !== null),
    place: (field, name) => (name !== undefined ? undefined : field === id ? self : placeOf(table, field)),
    named: (theirs) => fieldOf(table, theirs),
    fixed: table.fixed ?? {},
    record: (row) => owned({ [id]: row.id as string, ...named(withOptOut(table, toRecord(table, codec, row))) }),
    newRow: (record) => withCurrencies(table.object, toNewRow(table, codec, checked(table, disowned(record), {}))),
    changed(changes, before) {
      const row = toRow(table, codec, checked(table, disowned(changes), before))
      // An amount that was there before has its currency already, which may be another.
      const added = Object.entries(row).filter(([theirs]) => (before[fieldOf(table, theirs)] ?? null) === null)
      return { ...withCurrencies(table.object, Object.fromEntries(added)), ...row }
    },
    idOf: (ours) => ours,
  }
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'longText'])

/** A record without an owner gets the owner `nobody`. */
export function owned(record: StoredRecord): StoredRecord {
  return 'OwnerID' in record ? { ...record, OwnerID: record.OwnerID ?? NOBODY } : record
}

export function disowned(record: StoredRecord): StoredRecord {
  return record.OwnerID === NOBODY ? { ...record, OwnerID: null } : record
}
