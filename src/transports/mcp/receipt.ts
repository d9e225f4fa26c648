import type { Operation } from '../../contract/operation.ts'
import type { Schema } from './schema.ts'

/** Ids that say whose something is, not what it is. */
const PEOPLE = ['OwnerID', 'AuthorID']
const TELLING = ['ObjectName', 'RecordType', 'Revision', 'UpdatedFields', 'Deleted']

/** What a write's receipt shows of its answer: which record, and what has become of it. */
export function receiptMembers({ output }: Operation): string[] {
  const { properties } = output as unknown as { properties: Record<string, Schema> }
  return Object.keys(properties).filter((name) => (name.endsWith('ID') && !PEOPLE.includes(name)) || TELLING.includes(name))
}
