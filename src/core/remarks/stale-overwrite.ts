import type { Operation } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { getManyChanges } from '../../contract/records/change.ts'
import { getManyUsers } from '../../contract/records/user.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { Input } from '../call/types.ts'
import { writtenBy } from '../call/written-values.ts'
import { differences } from '../journal/changes.ts'
import { type Reading, type Row, readRows } from './reading.ts'

/** How many of a record's last changes are looked at, and how many of them are named. */
const LAST = 100
const NAMED = 3

export interface Overwrite {
  readonly operation: Operation
  readonly input: Input
  readonly changeId: string
  readonly id: string
  /** The Revision that the caller had seen before this write. */
  readonly seen: number
}

/** What others have changed in a record since the caller had read it, and what this write has replaced of it. */
export async function staleOverwrite({ operation, input, changeId, id, seen }: Overwrite, reading: Reading): Promise<string[]> {
  const { record } = operation
  const lines = await readRows(reading, getManyChanges, { Filters: { RecordID: id }, Limit: LAST })
  const own = lines.find((line) => line.ChangeID === changeId)
  const before = own && imageIn(own, 'Before')
  if (!before || before.Revision === seen) return []
  const between = lines
    .filter((line) => line !== own && isBetween(imageIn(line, 'After')?.Revision, seen, before.Revision))
    .map((line) => ({ line, fields: Object.keys(differences(record, imageIn(line, 'Before') ?? null, imageIn(line, 'After') ?? null)) }))
  const nameIn = await namesOf(
    between.map(({ line }) => line),
    reading,
  )
  const more = between.length - NAMED
  const by = between.slice(0, NAMED).map(({ line, fields }) => `by ${nameIn(line)} at ${line.At} (${fields.join(', ') || line.Operation})`)
  const written = writtenBy(operation, input).flatMap(({ type, values }) => (type.name === record.name ? Object.keys(values) : []))
  const replaced = written.filter((field) => between.some(({ fields }) => fields.includes(field))).map((field) => `${field} (${shown(before[field])})`)
  return [
    [
      `${record.id} ${id} was changed ${by.join(', ') || 'outside of the connector'}${more > 0 ? ` and ${more} more ${more === 1 ? 'time' : 'times'}` : ''} since you read it at Revision ${seen}.`,
      ...(replaced.length > 0 ? [`Your write has replaced ${replaced.join(', ')}.`] : []),
      whatToDo(operation, changeId),
    ].join(' '),
  ]
}

function whatToDo({ verb, input }: Operation, changeId: string): string {
  const { properties } = input as unknown as { readonly properties: object }
  // Not every CRM can restore what was deleted or converted.
  const undo = `undo_change with ChangeID ${changeId} takes your write back${verb === 'delete' || verb === 'convert' ? ', where the platform can' : ''}`
  return 'IfRevision' in properties ? `${undo}; IfRevision refuses such a write.` : `${undo}.`
}

const imageIn = (line: Row, member: 'Before' | 'After') => (isObject(line[member]) ? (line[member] as StoredRecord) : undefined)

const shown = (value: unknown) => (typeof value === 'string' ? quote(value) : quote(JSON.stringify(value ?? null)).slice(1, -1))

/** Revisions grow with each change; notes and comments have none. */
const isBetween = (revision: unknown, after: number, upTo: unknown) => typeof revision === 'number' && revision > after && revision <= (upTo as number)

/** The names of those who made changes; their ids where the caller may not read users. */
async function namesOf(lines: readonly Row[], reading: Reading): Promise<(line: Row) => string> {
  const ids = [...new Set(lines.map(({ UserID }) => UserID as string))]
  const users = ids.length > 0 ? await readRows(reading, getManyUsers, { Filters: { UserID: { in: ids } }, Select: ['Name'] }) : []
  return ({ UserID }) => {
    const name = users.find((user) => user.UserID === UserID)?.Name
    return UserID === reading.writer.userId ? 'this user' : typeof name === 'string' ? quote(name) : `UserID ${UserID}`
  }
}
