import type { Operation } from '../../contract/operation.ts'
import type { Schema } from './schema.ts'

/** Ids of users, which do not identify the record. */
const PEOPLE = ['OwnerID', 'AuthorID']
const ALSO_SHOWN = ['ObjectName', 'RecordType', 'Revision', 'UpdatedFields', 'Deleted']

/** The members of a write's answer that its receipt shows. */
export function receiptMembers({ output }: Operation): string[] {
  const { properties } = output as unknown as { properties: Record<string, Schema> }
  return Object.keys(properties).filter((name) => (name.endsWith('ID') && !PEOPLE.includes(name)) || ALSO_SHOWN.includes(name))
}
