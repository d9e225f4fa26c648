import { recordType } from '../../../contract/operations.ts'
import type { Condition, DeletedRecord } from '../../platform.ts'
import type { AttachedType, Changed, ChangedPage, ChangeQuery, CrmDriver, DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import type { AccountTables } from './account-tables.ts'
import { codesOf } from './answered-errors.ts'
import type { Api, Row, Rows } from './api.ts'
import type { ContentNotes } from './content-notes.ts'
import { askingForConverted, type ConvertedLeads, IS_CONVERTED } from './converted-leads.ts'
import { fieldIn } from './describes.ts'
import { prefixOf } from './ids.ts'
import { leadsOnly } from './memberships.ts'
import { page, rowsById } from './reads.ts'
import { recordOf } from './records.ts'
import { selection } from './selection.ts'

export interface FeedParts {
  readonly api: Api
  readonly account: AccountTables
  readonly notes?: ContentNotes | undefined
  readonly converted?: ConvertedLeads | undefined
  readonly prefixOf: (object: string) => string | undefined
  readonly get: CrmDriver['get']
  /** How records of a type are read; undefined where there is no such custom object. */
  readonly readerOf: (type: string, object: string | undefined) => Promise<Reader | undefined>
  /** The tables of custom objects, with those of these records that are theirs. */
  readonly customsOf: (ids: readonly string[]) => Promise<ReadonlyMap<{ readonly table: Table }, readonly string[]>>
  /** The present moment by the clock of Salesforce. */
  readonly now: () => number
}

interface Reader {
  readonly table: Table
  readonly read: (row: Row) => Changed['record']
}

/** Unlike LastModifiedDate, it also moves where Salesforce itself changes a record, such as its reference to one that is deleted. */
const STAMP: Place = { name: 'SystemModstamp', kind: 'timestamp', readOnly: true }
const MASTER = 'MasterRecordId'
const CHANGED_BY = 'LastModifiedById'

/** Stamps are kept in seconds. */
const secondOf = (ms: number) => ms - (ms % 1000)

/** The log of deletions is asked for a span of more than a minute, in which seconds do not count. */
const SHORTEST_MS = 180_000

type FeedMember = 'changed' | 'attached' | 'getAttached' | 'deletedSince' | 'changedBy' | 'isLeftOut' | 'leftOut'

/** What changed and by whom, what was attached to other records, and what was deleted. */
export function createFeed(parts: FeedParts): Pick<CrmDriver, FeedMember> {
  const { api, account, notes, converted, readerOf } = parts

  async function changed(type: string, query: ChangeQuery): Promise<ChangedPage> {
    const reader = await readerOf(type, query.object)
    if (!reader) return { records: [] }
    const { table, read } = reader
    const leads = type === 'Lead' && converted !== undefined
    const extra: Table['fields'] = leads ? { [IS_CONVERTED]: { name: IS_CONVERTED, kind: 'boolean', readOnly: true } } : {}
    const changedOf = (row: Row): Changed => ({ record: read(row), at: stampOf(row), ...(leads && row[IS_CONVERTED] === true && { leftOut: true }) })
    const only = type === 'Membership' ? [leadsOnly(table)] : []
    return page(api, stamped(table, extra), stampedSince(query), changedOf, ...only)
  }

  /** The type of a parent record, by the prefix of its id. */
  function parentTypes(type: AttachedType): ReadonlyMap<string | undefined, string> {
    const types = recordType(type).childOf?.types ?? []
    return new Map(types.map((parent) => [parts.prefixOf(account.tables[parent]?.object ?? parent), parent]))
  }

  async function attached(type: AttachedType, query: ChangeQuery): Promise<ChangedPage> {
    const { types: [only = ''] = [] } = recordType(type).childOf ?? {}
    if (type !== 'Note') {
      const { records, cursor } = await changed(type, query)
      return { records: records.map((one) => ({ ...one, on: only })), ...(cursor !== undefined && { cursor }) }
    }
    const { records, cursor } = notes ? await changedNotes(notes, query) : await changed(type, query)
    return { records: onParents(type, records), ...(cursor !== undefined && { cursor }) }
  }

  function onParents(type: AttachedType, records: readonly Changed[]): Changed[] {
    const types = parentTypes(type)
    return records.flatMap((one) => {
      const on = types.get(prefixOf(String(one.record[recordType(type).childOf?.field ?? ''])))
      return on === undefined ? [] : [{ ...one, on }]
    })
  }

  async function getAttached(type: AttachedType, ids: readonly string[]): Promise<ChangedPage> {
    const found = type === 'Note' && notes ? await notes.whole(await notes.linked(ids)) : await parts.get(type, ids)
    return {
      records: onParents(
        type,
        found.map((record) => ({ record, at: Date.parse(String(record.CreatedDate)) })),
      ),
    }
  }

  /** Of modern notes, the documents tell when they were changed. */
  async function changedNotes({ linked, whole }: ContentNotes, query: ChangeQuery): Promise<ChangedPage> {
    const documents = await page(api, stamped(DOCUMENTS), stampedSince(query), (row) => row)
    const stamps = new Map(documents.records.map((row) => [row.Id, stampOf(row)]))
    const records = (await whole(await linked([...stamps.keys()]))).map((record) => ({ record, at: stamps.get(String(record.NoteID)) as number }))
    records.sort((one, other) => one.at - other.at)
    return { records, ...(documents.cursor !== undefined && { cursor: documents.cursor }) }
  }

  /**
   * Salesforce's log of deletions says how far it goes back, and the deleted records say what they were merged into. Both are read in one request of the
   * quota.
   */
  async function deletedSince(type: string, since: number, object?: string): Promise<readonly DeletedRecord[] | undefined> {
    const reader = await readerOf(type, object)
    if (!reader) return []
    const from = secondOf(since)
    const isMembership = type === 'Membership'
    const table = deletedTable(type === 'Note' && notes ? DOCUMENTS : reader.table)
    const [bin, log] = await api.several<Rows & DeletionLog>([
      { path: `/queryAll?q=${encodeURIComponent(selection(table, stampedSince({ since: from, size: 0 }), undefined, 'IsDeleted = true'))}` },
      { path: logPath(table.object, from, parts.now()) },
    ])
    if (log instanceof DriverError && codesOf(log).some((code) => OUT_OF_REACH.has(code))) return undefined
    for (const answer of [bin, log]) if (answer instanceof DriverError) throw answer
    const { deletedRecords, earliestDateAvailable } = log as DeletionLog
    if (from < Date.parse(earliestDateAvailable)) return undefined
    const rows = await everythingIn(bin as Rows)
    const found = new Set(rows.map(({ Id }) => Id))
    const gone = deletedRecords.filter(({ id, deletedDate }) => !found.has(id) && Date.parse(deletedDate) >= from)
    // Only the row itself says which lead and which campaign it was about.
    if (isMembership && gone.length > 0) return undefined
    // Of the members of campaigns, those that are leads.
    const ours = isMembership ? rows.filter((row) => recordOf(type, reader.table, row).LeadID !== null) : rows
    const read = ours.map((row) => ({
      id: isMembership ? String(recordOf(type, reader.table, row).MembershipID) : row.Id,
      at: stampOf(row),
      ...(typeof row[MASTER] === 'string' && { mergedInto: row[MASTER] }),
    }))
    return [...gone.map(({ id, deletedDate }) => ({ id, at: Date.parse(deletedDate) })), ...read].sort((one, other) => one.at - other.at)
  }

  /** What is read of deleted records: their stamps, what they were merged into, and the two ids that a membership is known by. */
  function deletedTable({ object, fixed, fields: { LeadID, CampaignID } }: Table): Table {
    const master: Table['fields'] = fieldIn(account.describeOf(object), MASTER) ? { [MASTER]: { name: MASTER, kind: 'id', readOnly: true } } : {}
    const pair: Table['fields'] = object === account.tables.Membership?.object && LeadID && CampaignID ? { LeadID, CampaignID } : {}
    return stamped({ object, ...(fixed && { fixed }), fields: { ...master, ...pair } })
  }

  async function everythingIn(first: Rows): Promise<Row[]> {
    const rows = [...first.records]
    for (let { done, nextRecordsUrl } = first; !done && nextRecordsUrl !== undefined; ) {
      const next = await api.more(nextRecordsUrl)
      rows.push(...next.records)
      ;({ done, nextRecordsUrl } = next)
    }
    return rows
  }

  async function changedBy(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const table = account.tables[type]
    const tables = table ? [[table, ids] as const] : [...(await parts.customsOf(ids))].map(([custom, some]) => [custom.table, some] as const)
    const rows = await Promise.all(tables.map(([{ object }, some]) => rowsById(api, { object, fields: {} }, some, CHANGED_BY)))
    return new Map(rows.flat().flatMap((row) => (typeof row[CHANGED_BY] === 'string' ? [[row.Id, row[CHANGED_BY]]] : [])))
  }

  return {
    changedBy,
    ...(converted && {
      isLeftOut: (type, id) => type === 'Lead' && converted.has(id),
      leftOut: async () => ({ Lead: askingForConverted(account.tables.Lead, await converted.statuses()) }),
    }),
    changed: (type, query) => account.read(() => changed(type, query)).catch(unlessNotShown({ records: [] })),
    attached: (type, query) => account.read(() => attached(type, query)).catch(unlessNotShown({ records: [] })),
    getAttached: (type, ids) => account.read(() => getAttached(type, ids)).catch(unlessNotShown({ records: [] })),
    deletedSince: (type, since, object) => account.read(() => deletedSince(type, since, object)).catch(unlessNotShown([])),
  }
}

/** The log does not go back that far, or has more than it tells at once. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(['INVALID_REPLICATION_DATE', 'EXCEEDED_ID_LIMIT'])

interface DeletionLog {
  readonly deletedRecords: readonly { readonly id: string; readonly deletedDate: string }[]
  readonly earliestDateAvailable: string
}

/** The documents that modern notes are. */
const DOCUMENTS: Table = { object: 'ContentDocument', fields: {}, fixed: { FileType: 'SNOTE' } }

const stamped = (table: Table, more: Table['fields'] = {}): Table => ({ ...table, fields: { ...table.fields, ...more, [STAMP.name]: STAMP } })

const stampOf = (row: Row) => Date.parse(String(row[STAMP.name]))

function stampedSince({ since, size, cursor }: ChangeQuery): DriverQuery {
  const begin: Condition[] =
    since === undefined ? [] : [{ field: STAMP.name, family: 'timestamp', operator: 'gte', value: new Date(secondOf(since)).toISOString() }]
  return { where: begin, order: { field: STAMP.name, descending: false }, size, ...(cursor !== undefined && { cursor }) }
}

function logPath(object: string, from: number, now: number): string {
  const [start, end] = [Math.min(from, now - SHORTEST_MS), now].map((ms) => encodeURIComponent(new Date(ms).toISOString()))
  return `/sobjects/${object}/deleted/?start=${start}&end=${end}`
}

/** An object that the account does not show, such as the members of campaigns in some editions, has no records. */
const unlessNotShown =
  <T>(none: T) =>
  (error: unknown): T => {
    if (error instanceof DriverError && codesOf(error).some((code) => code === 'INVALID_TYPE' || code === 'NOT_FOUND')) return none
    throw error
  }
