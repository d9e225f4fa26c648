import type { Operation } from '../../contract/operation.ts'
import type { Schema } from './schema.ts'

/** Ids of users, which do not identify the record. */
const PEOPLE = ['OwnerID', 'AuthorID']
const ALSO_SHOWN = ['ObjectName', 'RecordType', 'Revision', 'UpdatedFields', 'Deleted', 'Emptied', 'Created', 'Undone', 'Left', 'Changes', 'Failed']

/** The members of a write's answer that its receipt shows. */
export function receiptMembers({ output, record }: Operation): string[] {
  const { properties } = output as unknown as { properties: Record<string, Schema> }
  // Of a record's own fields only its id identifies it.
  const identifies = (name: string) => name.endsWith('ID') && !PEOPLE.includes(name) && record.fields[name]?.access !== 'write'
  return Object.keys(properties).filter((name) => identifies(name) || ALSO_SHOWN.includes(name))
}
