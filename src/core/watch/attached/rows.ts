import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { Campaign, Membership } from '../../../contract/records/campaign.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { AttachedRecord, Condition, Platform, Reader, RecordName, StoredRecord, Value } from '../../../platforms/platform.ts'
import { typeOn } from '../../call/extension.ts'
import { idOf, parentField, shown } from '../../call/records.ts'

/** The rows of one note, comment or membership, by their ids. */
export type Rows = ReadonlyMap<string, StoredRecord>

export const ATTACHED = ['Note', 'Comment', 'Membership'] as const

/** The types whose records belong to others, where a platform tells of them. */
export const attachedTypes = (platform: Platform): RecordType[] => (platform.feed?.attached ? ATTACHED.map((name) => typeOn(platform, recordType(name))) : [])

/**
 * A note can belong to several records, and records of different types can have the same id. So a mirror has a row of a note or comment for each of its parents: `77 Lead 5`
 * is the note 77 of `Lead 5`. Blanks sort before whatever ids are made of, so that rows sort as the ids do. A lead is in a campaign once, and its membership has the id that it
 * has.
 */
const isKeyed = ({ name }: Pick<RecordType, 'name'>) => name !== Membership.name

/**
 * Where deletes are found by numbers, there is also a row of each note itself, without a parent and a text: a note can belong to no record, or to one that is no longer there.
 */
export const countsRows = ({ feed }: Pick<Platform, 'feed'>, type: RecordType) => isKeyed(type) && feed?.attached?.created !== undefined

const NO_PARENT = ''

/** The parent's id as rows have it. */
export const parentKey = (type: RecordType, on: string, id: string) => (isKeyed(type) ? `${on} ${id}` : id)

/** The id of the row of a note, comment or membership of one parent. */
export const rowKey = (type: RecordType, id: string, on: string, parent: string) => (isKeyed(type) ? `${id} ${on} ${parent}` : id)

const isOf = (field: string, value: string): Condition => ({ field, family: 'text', operator: 'eq', value })

/** Those of one parent. */
export const ofParent = (type: RecordType, on: string, id: string): Condition => isOf(parentField(type), parentKey(type, on, id))

/** Rows without a parent, and those with one. */
export const withoutParent = (type: RecordType): Condition => isOf(parentField(type), NO_PARENT)
export const withParent = (type: RecordType): Condition => ({ ...withoutParent(type), operator: 'ne' })

/** How many a mirror has, once for each parent. */
export const countAttached = (mirror: Pick<Reader, 'count'>, name: string): Promise<number> => mirror.count(name, [withParent(recordType(name))])

/** The row of a record; without `on`, that of the record itself. */
export function attachedRow({ name }: Pick<RecordType, 'name'>, record: StoredRecord, on?: string): StoredRecord {
  const type = recordType(name)
  const row: StoredRecord = Object.fromEntries(
    Object.entries(type.fields).map(([field, { defaultValue }]) => [field, record[field] ?? (defaultValue as Value | undefined) ?? null]),
  )
  if (!isKeyed(type)) return row
  const author = { AuthorID: row.AuthorID ?? NOBODY }
  const [id, parent] = [idOf(type, record), record[parentField(type)] as string]
  if (on === undefined) return { ...row, ...author, [name]: '', [parentField(type)]: NO_PARENT }
  return { ...row, ...author, [type.id]: rowKey(type, id, on, parent), [parentField(type)]: parentKey(type, on, parent) }
}

/** The id that a row is about. */
export const idIn = (type: RecordType, row: StoredRecord) => idOf(type, row).split(' ')[0] as string

/** The parent of a row; undefined where it has none. */
export function parentIn(type: RecordType, row: StoredRecord): RecordName | undefined {
  const parent = row[parentField(type)] as string
  if (parent === NO_PARENT) return undefined
  const [only = ''] = type.childOf?.types ?? []
  const [on = '', id = ''] = isKeyed(type) ? parent.split(' ') : [only, parent]
  return { type: on, id }
}

/** The records that a row needs: its parent, and the campaign of a membership. */
export function neededBy(type: RecordType, row: StoredRecord): RecordName[] {
  const parent = parentIn(type, row)
  return [...(parent ? [parent] : []), ...(isKeyed(type) ? [] : [{ type: Campaign.name, id: row.CampaignID as string }])]
}

/** A row as the platform answers it. */
export function recordIn(type: RecordType, row: StoredRecord): StoredRecord {
  if (!isKeyed(type)) return row
  const parent = row[parentField(type)] === undefined ? undefined : parentIn(type, row)
  return { ...row, [type.id]: idIn(type, row), ...(parent && { [parentField(type)]: parent.id }) }
}

/** What calls answer, and events show, of a note, comment or membership. */
export function shownIn(type: RecordType, row: StoredRecord): StoredRecord {
  const parent = parentIn(type, row)
  return { ...shown(recordType(type.name), recordIn(type, row)), ...(parent && isKeyed(type) && { [recordType(parent.type).id]: parent.id }) }
}

/** Whether two rows are of the same moment and show the same. */
export const areEqual = (type: RecordType, one: StoredRecord, other: StoredRecord) =>
  one[type.createdField] === other[type.createdField] && isSameRow(type, one, other)

/** Whether two rows show the same. The author is not compared: that of a call is one of our users. */
export function isSameRow(type: RecordType, one: StoredRecord, other: StoredRecord): boolean {
  const compared = Object.entries(type.fields).flatMap(([name, { access }]) => (access === 'create' || access === 'write' ? [name] : []))
  return [...compared, parentField(type)].every((name) => (one[name] ?? null) === (other[name] ?? null))
}

/** The rows of a note, comment or membership, by their ids. */
export async function rowsOf(reader: Pick<Reader, 'get' | 'find'>, type: RecordType, id: string): Promise<Map<string, StoredRecord>> {
  if (!isKeyed(type)) {
    const row = await reader.get(type.name, id)
    return new Map(row ? [[id, row]] : [])
  }
  const range: Condition[] = [
    { field: type.id, family: 'text', operator: 'gte', value: id },
    { field: type.id, family: 'text', operator: 'lt', value: `${id}!` },
  ]
  return new Map((await everyRow(reader, type, range)).map((row) => [idOf(type, row), row]))
}

const PAGE = 1000

/** All rows that match, in the order of their ids. */
export async function everyRow(
  reader: Pick<Reader, 'find'>,
  type: RecordType,
  where: readonly Condition[],
  fields?: readonly string[],
): Promise<StoredRecord[]> {
  const all: StoredRecord[] = []
  let after: { readonly value: string; readonly id: string } | undefined
  for (;;) {
    const query = { where, order: { field: type.id, descending: false }, limit: PAGE, ...(fields && { fields }), ...(after && { after }) }
    const { records, more } = await reader.find(type.name, query)
    all.push(...records)
    const last = records.at(-1)
    if (!more || !last) return all
    after = { value: idOf(type, last), id: idOf(type, last) }
  }
}

/** The rows that a mirror should have of what was found, by the ids of the records. */
export function rowsIn(platform: Platform, type: RecordType, found: readonly AttachedRecord[]): Map<string, Map<string, StoredRecord>> {
  const rows = new Map<string, Map<string, StoredRecord>>()
  const add = (id: string, row: StoredRecord) => rows.set(id, (rows.get(id) ?? new Map<string, StoredRecord>()).set(idOf(type, row), row))
  for (const { record, on } of found) {
    const id = idOf(type, record)
    if (on !== undefined) add(id, attachedRow(type, record, on))
    if (countsRows(platform, type)) add(id, attachedRow(type, record))
  }
  return rows
}
