import { LIMITS } from '../../../contract/limits.ts'
import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import type { Place, Table } from './tables.ts'

/** A field as an account describes it. */
export interface AccountField extends Place {
  /** Its name by the rule for custom objects: `Score__c` is `Score`. */
  readonly ours: string
  readonly label: string
}

/**
 * The table with every field of the account that neither the contract nor the configuration has a name for, so that it can be used like any other. A
 * field whose name is taken keeps the name that it has in the CRM, or gets a number behind it; the configuration can rename fields, and hide them by either
 * name.
 */
export function withAccountFields(type: string, table: Table, found: readonly AccountField[]): Table {
  const { renamed = {}, hidden = [] } = table
  const fields: { [ours: string]: Place | null } = { ...table.fields }
  const theirs = new Map(Object.entries(renamed).map(([ours, name]) => [name.toLowerCase(), ours]))
  const placed = new Set([
    ...Object.values(fields).flatMap((place) => place?.name.toLowerCase() ?? []),
    ...Object.keys(table.fixed ?? {}).map((name) => name.toLowerCase()),
  ])
  for (const { ours, ...place } of found) {
    if (placed.has(place.name.toLowerCase())) continue
    const names = [theirs.get(place.name.toLowerCase()), ours, place.name, `${place.name}_2`].filter((name) => name !== undefined)
    const name = names.find((one) => isFieldName(one) && takenName(one, recordType(type), Object.keys(fields)) === undefined)
    if (name !== undefined && !hidden.includes(name) && !hidden.includes(place.name)) fields[name] = place
  }
  return { ...table, fields }
}

/** Members of inputs and answers beside a record's own, which no further field can be called. */
const RESERVED = [
  'UpdatedFields',
  'Deleted',
  'Emptied',
  'Created',
  'MatchBy',
  'Include',
  'any',
  'not',
  'FieldsToUpdate',
  'IfRevision',
  'IdempotencyKey',
  'DryRun',
  'Detail',
  'ConfirmationToken',
]

const NAME = new RegExp(`^[A-Za-z][A-Za-z0-9_]{0,${LIMITS.name - 1}}$`)

/** Whether a further field could have this name, whatever others are called. */
export const isFieldName = (name: string) => NAME.test(name) && !(name in {})

/** What already has a name, in any case of letters. */
export function takenName(name: string, record: RecordType | undefined, fields: readonly string[]): string | undefined {
  const own = Object.entries(record?.fields ?? {}).flatMap(([field, { refers }]) => (refers === undefined ? [field] : [field, field.replace(/ID$/, '')]))
  const taken = [...fields, ...own, ...(record?.children.flatMap(({ list, total }) => [list, total]) ?? []), ...RESERVED]
  return taken.find((one) => one.toLowerCase() === name.toLowerCase())
}
