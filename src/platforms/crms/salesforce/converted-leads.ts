import type { Condition, StoredRecord } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import { type ObjectDescribe, fieldIn } from './describes.ts'
import { CONVERTED } from './error-codes.ts'

const IS_CONVERTED = 'IsConverted'

/** Says of a lead whether it has become a contact, and so can no longer be changed. */
const PLACE: Place = { name: IS_CONVERTED, kind: 'boolean', label: 'Converted', readOnly: true }

/** The table of leads with that field, where the account shows it and the configuration has no other use for the name. */
export function withConverted(type: string, table: Table, describe: ObjectDescribe): Table {
  const known = type !== 'Lead' || Object.hasOwn(table.fields, 'Converted') || convertedField(table) !== undefined
  return known || !fieldIn(describe, IS_CONVERTED) ? table : { ...table, fields: { ...table.fields, Converted: PLACE } }
}

const convertedField = (table: Table) => Object.entries(table.fields).find(([, place]) => place?.name === IS_CONVERTED)?.[0]

/** Searches leave converted leads out, unless they ask for them, or for leads by their ids. */
export function unconverted(table: Table, where: readonly Condition[]): string[] {
  const field = convertedField(table)
  const asked = where.some((condition) => condition.field === field || (table.fields[condition.field]?.name === 'Id' && condition.operator !== 'ne'))
  return field === undefined || asked ? [] : [`${IS_CONVERTED} = false`]
}

/** Refuses to change a converted lead before anything is sent. */
export function refuseConverted(table: Table, before: StoredRecord): void {
  const field = convertedField(table)
  if (field === undefined || before[field] !== true) return
  throw new DriverError('platform_rejected', 'This lead was converted in Salesforce, and can no longer be changed.', { hint: CONVERTED })
}
