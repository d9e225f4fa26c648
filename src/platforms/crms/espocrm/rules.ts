import type { StoredRecord } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { placeOf } from '../engine/translation.ts'
import { CONTACT_TITLE, OPT_OUT } from './tables.ts'

/** Values that EspoCRM keeps with something else, and drops without a word where that is missing. */
export function checked(table: Table, given: StoredRecord, before: StoredRecord): StoredRecord {
  const now = { ...before, ...given }
  if (hasTitle(table) && isGiven(given.Title) && !isGiven(now.CompanyID))
    throw unkept('title', 'EspoCRM keeps the title of a contact with its company, and this one has none.', 'a CompanyID with it')
  if (placeOf(table, 'EmailOptOut')?.name !== OPT_OUT.name || given.EmailOptOut === undefined) return given
  if (given.EmailOptOut === true && !isGiven(now.Email))
    throw unkept(OPT_OUT.name, 'EspoCRM keeps the opt-out with the e-mail address, and there is none.', 'an Email with it')
  // A new record must not take back what the owner of its address has decided elsewhere.
  if (given.EmailOptOut === false && before.EmailOptOut !== true) return without(given, 'EmailOptOut')
  return given
}

const hasTitle = (table: Table) => table.object === 'Contact' && placeOf(table, 'Title')?.name === CONTACT_TITLE.name

const isGiven = (value: unknown) => value !== undefined && value !== null

function without(record: StoredRecord, field: string): StoredRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))
}

/** An opt-out of no address is none. */
export function withOptOut(table: Table, record: StoredRecord): StoredRecord {
  return placeOf(table, 'EmailOptOut')?.name === OPT_OUT.name ? { ...record, EmailOptOut: record.EmailOptOut ?? false } : record
}

function unkept(field: string, message: string, expected: string): DriverError {
  return new DriverError('unsupported', message, { errors: [{ field, code: 'value', message, expected }] })
}
