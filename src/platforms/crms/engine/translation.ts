import { FIELD_KINDS } from '../../../contract/fields.ts'
import { recordType } from '../../../contract/operations.ts'
import type { ExtraField, FieldLimits, StoredRecord, Value } from '../../platform.ts'
import { DriverError } from './errors.ts'
import type { Place, Table, Tables } from './tables.ts'

/** How values are written in a CRM. The kind of the place decides, never the value. */
export interface Codec {
  write(place: Place, value: Value): unknown
  read(place: Place, raw: unknown): Value
}

/** A record, or some of its fields, by the CRM's names. Fields without a place are left out: the core has refused them, or the CRM sets them itself. */
export function toRow(table: Table, codec: Codec, record: StoredRecord): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [ours, value] of Object.entries(record)) {
    const place = placeOf(table, ours)
    if (place && !place.readOnly) row[place.name] = codec.write(place, toTheirWord(place, value as Value))
  }
  return row
}

/** A new record by the CRM's names, with the defaults and fixed values of its table. */
export function toNewRow(table: Table, codec: Codec, record: StoredRecord): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
  const defaultValue = Object.entries(table.fields).flatMap(([ours, place]) =>
    place?.defaultValue !== undefined && given[ours] === undefined ? [[ours, place.defaultValue]] : [],
  )
  return { ...table.defaults, ...toRow(table, codec, { ...Object.fromEntries(defaultValue), ...given }), ...table.fixed }
}

/** What the CRM fills in by itself in a new record, by our names. */
export function initialValues({ fields }: Table, record: StoredRecord): StoredRecord {
  const filled = Object.entries(fields).flatMap(([ours, place]) =>
    place?.initial === undefined || place.readOnly || (record[ours] ?? null) !== null ? [] : [[ours, toOurWord(place, place.initial)]],
  )
  return Object.fromEntries(filled)
}

/** A row of a CRM as a record of ours, limited to the wanted fields where given. */
export function toRecord(table: Table, codec: Codec, row: { readonly [theirs: string]: unknown }, wanted?: ReadonlySet<string>): StoredRecord {
  const record: StoredRecord = {}
  for (const [name, place] of entriesOf(table)) {
    if (wanted && !wanted.has(name)) continue
    const raw = place ? row[place.name] : undefined
    record[name] = place && raw !== undefined && raw !== null ? toOurWord(place, codec.read(place, raw)) : null
  }
  return record
}

const entries = new WeakMap<Table, readonly (readonly [string, Place | null])[]>()

/** The fields of a table, memoised since every row needs them. */
function entriesOf(table: Table): readonly (readonly [string, Place | null])[] {
  let known = entries.get(table)
  if (!known) {
    known = Object.entries(table.fields)
    entries.set(table, known)
  }
  return known
}

export function placeOf(table: Table, field: string): Place | undefined {
  return Object.hasOwn(table.fields, field) ? (table.fields[field] ?? undefined) : undefined
}

/** A value of a choice in the CRM's words, for writing. Searches ask for `theirWordsFor`. */
export function toTheirWord(place: Place, value: Value): Value {
  return typeof value === 'string' && place.values && Object.hasOwn(place.values, value) ? (place.values[value] as string) : value
}

/** The reverse. A word of the CRM that is not in the table is shown as it is. */
export function toOurWord(place: Place, value: Value): Value {
  for (const ours in place.values) if (place.values[ours] === value) return ours
  return value
}

/** The values of the CRM that are shown as this one, for searching. There are none for a word of the CRM that is shown as another. */
export function theirWordsFor(place: Place, ours: Value): Value[] {
  return [...new Set([toTheirWord(place, ours), ours])].filter((one) => toOurWord(place, one) === ours)
}

/**
 * What the tables say of fields beyond the contract. A field that cannot be written there is marked as such, so that the core refuses it: what
 * has no place would otherwise be left out of the request, and the call answered as a success. `remedies` are for the fields of owned records.
 */
export function limitsOf(tables: Tables, remedies: { readonly [field: string]: string } = {}): { [type: string]: { [field: string]: FieldLimits } } {
  return eachField(tables, (place, type, field): FieldLimits | undefined => {
    if (place === null) return { absent: true, ...(recordType(type).owned && Object.hasOwn(remedies, field) && { remedy: remedies[field] as string }) }
    const { max, maxBytes, decimals, digits, remark, required, defaultValue, closed, allowed, values = {} } = place
    // Of a field that is unique by the contract it says nothing new.
    const unique = (place.unique && !recordType(type).fields[field]?.unique) || undefined
    const words = closed ? [...new Set([...Object.keys(values), ...(allowed ?? [])])] : undefined
    const readOnly = (place.readOnly && isWritable(type, field)) || undefined
    const limits = { max, maxBytes, decimals, digits, remark, required, unique, defaultValue, closed: words, readOnly }
    const set = Object.entries(limits).filter(([, value]) => value !== undefined)
    return set.length > 0 ? Object.fromEntries(set) : undefined
  })
}

function isWritable(type: string, field: string): boolean {
  const access = recordType(type).fields[field]?.access
  return access === 'write' || access === 'create'
}

/** The fields that the tables have beyond those of the contract. */
export function extrasOf(tables: Tables): { [type: string]: { [field: string]: ExtraField } } {
  return eachField(tables, (place, type, field): ExtraField | undefined =>
    place === null || Object.hasOwn(recordType(type).fields, field)
      ? undefined
      : { kind: place.kind, label: place.label ?? field, readOnly: place.readOnly ?? false, refers: place.refers },
  )
}

function eachField<T>(tables: Tables, of: (place: Place | null, type: string, field: string) => T | undefined): { [type: string]: { [field: string]: T } } {
  const types = Object.entries(tables).map(([type, { fields }]) => {
    const found = Object.entries(fields).flatMap(([field, place]) => {
      const one = of(place, type, field)
      return one === undefined ? [] : [[field, one] as const]
    })
    return [type, Object.fromEntries(found)] as const
  })
  return Object.fromEntries(types.filter(([, fields]) => Object.keys(fields).length > 0))
}

/** Our name of a field of the CRM, for its errors; the CRM's name where there is none. */
export function fieldOf(table: Table | undefined, theirs: string): string {
  const [ours] = Object.entries(table?.fields ?? {}).find(([, place]) => place?.name.toLowerCase() === theirs.toLowerCase()) ?? []
  return ours ?? theirs
}

export const familyOf = (place: Place) => FIELD_KINDS[place.kind]

/** For what the core has refused before. */
export function unreachable(what: string): DriverError {
  return new DriverError('internal', what)
}
