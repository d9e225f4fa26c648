import { FIELD_KINDS } from '../../../contract/fields.ts'
import { recordType } from '../../../contract/operations.ts'
import type { ExtraField, FieldLimits, StoredRecord, Value } from '../../platform.ts'
import { DriverError } from './errors.ts'
import type { Place, Table, Tables } from './tables.ts'

/** How values of a kind are written in a CRM. It is decided by the place, never by the look of a value. */
export interface Codec {
  write(place: Place, value: Value): unknown
  read(place: Place, raw: unknown): Value
}

/** A record, or some of its fields, as a CRM takes it. What has no place there is left out. */
export function theirs(table: Table, codec: Codec, record: StoredRecord): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [ours, value] of Object.entries(record)) {
    const place = placeOf(table, ours)
    if (place && !place.readOnly) row[place.name] = codec.write(place, word(place, value as Value))
  }
  return row
}

/** A new record as a CRM takes it, with what it insists on. */
export function newborn(table: Table, codec: Codec, record: StoredRecord): Record<string, unknown> {
  const said = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
  const births = Object.entries(table.fields).flatMap(([ours, place]) =>
    place?.atBirth !== undefined && said[ours] === undefined ? [[ours, place.atBirth]] : [],
  )
  return { ...table.defaults, ...theirs(table, codec, { ...Object.fromEntries(births), ...said }), ...table.fixed }
}

/** What a CRM answers with as a record of ours, with only these of its fields where they are named. */
export function ours(table: Table, codec: Codec, row: { readonly [theirs: string]: unknown }, wanted?: ReadonlySet<string>): StoredRecord {
  const record: StoredRecord = {}
  for (const [name, place] of entriesOf(table)) {
    if (wanted && !wanted.has(name)) continue
    const raw = place ? row[place.name] : undefined
    record[name] = place && raw !== undefined && raw !== null ? wordOf(place, codec.read(place, raw)) : null
  }
  return record
}

const entries = new WeakMap<Table, readonly (readonly [string, Place | null])[]>()

/** The fields of a table, listed once for all of its rows. */
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

/** One of our words in the CRM's own, for writing and for searching. */
export function word(place: Place, value: Value): Value {
  return typeof value === 'string' && place.values && Object.hasOwn(place.values, value) ? (place.values[value] as string) : value
}

/** The way back. A word of theirs that is not in the table is shown as it is. */
export function wordOf(place: Place, value: Value): Value {
  for (const ours in place.values) if (place.values[ours] === value) return ours
  return value
}

/**
 * What the tables say of fields beyond the contract. A field that cannot be written there is marked as such, so that the core refuses it: what
 * has no place would otherwise be left out of the request, and the call answered as a success.
 */
export function limitsOf(tables: Tables): { [type: string]: { [field: string]: FieldLimits } } {
  return eachField(tables, (place, type, field): FieldLimits | undefined => {
    if (place === null) return { absent: true }
    const { max, maxBytes, decimals, required, atBirth, closed, allowed, values = {} } = place
    const words = closed ? [...new Set([...Object.keys(values), ...(allowed ?? [])])] : undefined
    const readOnly = (place.readOnly && isWritable(type, field)) || undefined
    const limits = { max, maxBytes, decimals, required, atBirth, closed: words, readOnly }
    const said = Object.entries(limits).filter(([, value]) => value !== undefined)
    return said.length > 0 ? Object.fromEntries(said) : undefined
  })
}

function isWritable(type: string, field: string): boolean {
  const access = recordType(type).fields[field]?.access
  return access === 'write' || access === 'create'
}

/** The fields that the tables have beyond these, which are the contract's. */
export function extrasOf(tables: Tables, known: (type: string) => readonly string[]): { [type: string]: { [field: string]: ExtraField } } {
  return eachField(tables, (place, type, field): ExtraField | undefined =>
    place === null || known(type).includes(field) ? undefined : { kind: place.kind, label: place.label ?? field, readOnly: place.readOnly ?? false },
  )
}

function eachField<T>(tables: Tables, of: (place: Place | null, type: string, field: string) => T | undefined): { [type: string]: { [field: string]: T } } {
  const types = Object.entries(tables).map(([type, { fields }]) => {
    const said = Object.entries(fields).flatMap(([field, place]) => {
      const one = of(place, type, field)
      return one === undefined ? [] : [[field, one] as const]
    })
    return [type, Object.fromEntries(said)] as const
  })
  return Object.fromEntries(types.filter(([, fields]) => Object.keys(fields).length > 0))
}

/** Our name of one of theirs, for their errors; theirs where we have none. */
export function fieldOf(table: Table | undefined, theirs: string): string {
  const [ours] = Object.entries(table?.fields ?? {}).find(([, place]) => place?.name.toLowerCase() === theirs.toLowerCase()) ?? []
  return ours ?? theirs
}

export const familyOf = (place: Place) => FIELD_KINDS[place.kind]

/** For what cannot be, because the core has refused it before. */
export function unreachable(what: string): DriverError {
  return new DriverError('internal', what)
}
