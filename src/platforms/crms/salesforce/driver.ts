import { recordType } from '../../../contract/operations.ts'
import type { Condition, StoredRecord, Where } from '../../platform.ts'
import type { Created, CrmDriver, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError, ofStep } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { placeOf, unreachable } from '../engine/translation.ts'
import type { AccountTables } from './account-tables.ts'
import { codesOf } from './answered-errors.ts'
import type { Api, Row } from './api.ts'
import { exported } from './bulk-export.ts'
import type { SalesforcePlace } from './codec.ts'
import { combined } from './combined-conditions.ts'
import { narrowed } from './conditions.ts'
import type { ContentNotes } from './content-notes.ts'
import { type ConvertedLeads, IS_CONVERTED, unconverted } from './converted-leads.ts'
import type { CustomObjects } from './custom-objects.ts'
import type { CustomTable } from './custom-tables.ts'
import { withDuplicates } from './duplicates.ts'
import { attempted } from './each.ts'
import { createFeed } from './feed.ts'
import { isId, prefixOf } from './ids.ts'
import { leadsOnly, membershipId, membershipRows } from './memberships.ts'
import { setContacts } from './opportunity-contacts.ts'
import { counted, page, rowsById } from './reads.ts'
import { bodyOf, CUSTOM, changesOf, customChanges, customDraft, customRecordOf, recordOf, refuseGone } from './records.ts'
import { type Searched, searchedIds } from './search.ts'
import { placeFor, sorts } from './selection.ts'
import { tallied } from './tally.ts'
import { titleOf } from './titles.ts'
import type { Known, Patch, Writes } from './writes.ts'

export interface Parts {
  readonly api: Api
  readonly writes: Writes
  readonly customs: CustomObjects
  /** The account's tables, with its fields. */
  readonly account: AccountTables
  /** Modern notes, where those are used. */
  readonly notes?: ContentNotes | undefined
  /** The converted leads; undefined where the account does not say which they are. */
  readonly converted?: ConvertedLeads | undefined
  /** Whether an object takes part in searches for words. */
  readonly isSearched: (object: string) => boolean
  /** The key prefix of an object: the first characters of its ids. Undefined if the account did not report it. */
  readonly prefixOf: (object: string) => string | undefined
  /** The present moment by the clock of Salesforce. */
  readonly now: () => number
}

type Change = Parameters<CrmDriver['update']>[1][number]

type Operations = Pick<
  CrmDriver,
  | 'narrows'
  | 'narrowsTree'
  | 'orders'
  | 'search'
  | 'get'
  | 'find'
  | 'count'
  | 'exported'
  | 'changed'
  | 'attached'
  | 'getAttached'
  | 'attachedTo'
  | 'deletedSince'
  | 'changedBy'
  | 'isLeftOut'
  | 'leftOut'
  | 'tally'
  | 'create'
  | 'update'
  | 'delete'
  | 'keepsErased'
  | 'objects'
  | 'definitions'
  | 'define'
>

/** The driver of an account. */
export function createDriver(parts: Parts): Operations {
  const { api, writes, customs, account, notes, converted, isSearched, prefixOf: prefixOfObject } = parts

  function tableOf(type: string): Table {
    const table = account.tables[type]
    if (!table) throw unreachable(`There is no table for ${type}.`)
    return table
  }

  /** Everything that is called by this name: in custom objects, any number of fields may be. */
  const placesFor = (type: string, of: { readonly field: string; readonly name?: string }) =>
    type === CUSTOM ? customs.known().flatMap(({ table }) => placeFor(table, of) ?? []) : [placeFor(tableOf(type), of)]

  /** How a search of a type is read. */
  async function readerOf(type: string, object: string | undefined, fields?: readonly string[]) {
    if (type !== CUSTOM) return { table: tableOf(type), read: (row: Row) => recordOf(type, tableOf(type), row, fields) }
    const custom = await customs.named(object ?? '')
    return custom && { table: custom.table, read: (row: Row) => customRecordOf(custom, row) }
  }

  /** What a search is limited to beside its conditions. */
  const more = (type: string, table: Table, { where, trees = [], leavesNoneOut }: Pick<DriverQuery, 'where' | 'trees' | 'leavesNoneOut'>) => {
    const conditions = trees.map((one) => combined(account.tables, table, one)?.soql ?? '')
    if (type === 'Membership') return [...conditions, leadsOnly(table)]
    return type === 'Lead' && converted && !leavesNoneOut ? [...conditions, ...unconverted(table, [...where, ...trees])] : conditions
  }

  /** The tables that a search of a type may read: of custom objects, any. */
  const tablesFor = (type: string) => (type === CUSTOM ? customs.known().map(({ table }) => table) : [tableOf(type)])

  /** The objects that these ids are of. */
  async function customsOf(ids: readonly string[]): Promise<Map<CustomTable, string[]>> {
    const groups = new Map<CustomTable, string[]>()
    for (const id of new Set(ids.filter(isId))) {
      const custom = await customs.byPrefix(prefixOf(id))
      if (custom) groups.set(custom, [...(groups.get(custom) ?? []), id])
    }
    return groups
  }

  /** Where a record with this id would be; undefined where it cannot be one. */
  async function whereIs(type: string, id: string): Promise<{ readonly table: Table; readonly custom?: CustomTable } | undefined> {
    if (!isId(id)) return undefined
    if (type === CUSTOM) {
      const custom = await customs.byPrefix(prefixOf(id))
      return custom && { table: custom.table, custom }
    }
    const table = tableOf(type)
    return (prefixOfObject(table.object) ?? prefixOf(id)) === prefixOf(id) ? { table } : undefined
  }

  async function customDrafts(records: readonly StoredRecord[]) {
    const found = new Map<string, CustomTable | undefined>()
    for (const name of new Set(records.map(({ ObjectName }) => ObjectName as string))) found.set(name, await customs.named(name))
    return attempted(records, (record) => {
      const custom = found.get(record.ObjectName as string)
      if (!custom) throw new DriverError('platform_rejected', `Salesforce has no object for ${record.ObjectName}.`)
      return { table: custom.table, body: bodyOf(custom.table, customDraft(custom, record)) }
    })
  }

  function drafts(type: string, records: readonly StoredRecord[]) {
    const table = tableOf(type)
    return attempted(records, (record) => {
      refuseGone(type, table, record)
      const body = bodyOf(table, record)
      return { table, body: table.object === 'Note' ? { Title: titleOf(String(record.Note ?? '')), ...body } : body }
    })
  }

  /** The changes of opportunities without their contacts, where those are set by roles. */
  function apart(type: string, given: readonly Change[]) {
    const place: SalesforcePlace | undefined = type === 'Opportunity' ? placeOf(tableOf(type), 'ContactID') : undefined
    if (!place?.createOnly || place.name !== 'ContactId') return { changes: given, contacts: new Map<number, string | null>() }
    const contacts = given.flatMap(({ changes, before }, at) => {
      const { ContactID } = changes
      return ContactID === undefined || ContactID === before.ContactID ? [] : [[at, ContactID as string | null] as const]
    })
    const changes = given.map((one) => {
      const { ContactID: _, ...rest } = one.changes
      return { ...one, changes: rest }
    })
    return { changes, contacts: new Map(contacts) }
  }

  /** Sets the contacts of opportunities that are there and were not refused. */
  async function withContacts(results: readonly PerItem<boolean>[], changes: readonly Change[], contacts: ReadonlyMap<number, string | null>) {
    const open = [...contacts].filter(([at]) => results[at] === true)
    const answers = await setContacts(
      api,
      writes,
      open.map(([at, contactId]) => ({ id: changes[at]?.id as string, contactId })),
    )
    return results.map((result, at) => {
      if (contacts.has(at) && result instanceof DriverError) return ofStep(result)
      return answers[open.findIndex(([one]) => one === at)] ?? result
    })
  }

  /** Idempotent: a lead that is already in the campaign stays in it. */
  async function memberships(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    const table = tableOf('Membership')
    const results = await writes.create(drafts('Membership', records))
    return Promise.all(
      results.map(async (result, at): Promise<PerItem<Created>> => {
        const id = membershipId(records[at]?.LeadID, records[at]?.CampaignID)
        if (!(result instanceof DriverError)) return { id }
        if (!codesOf(result).includes('DUPLICATE_VALUE')) return result
        const [row] = await membershipRows(api, table, [id])
        return row ? recordOf('Membership', table, row) : result
      }),
    )
  }

  async function updatedMemberships(given: readonly Change[]): Promise<PerItem<boolean>[]> {
    const table = tableOf('Membership')
    const ids = given.map(({ id }) => id)
    const rows = new Map((await membershipRows(api, table, ids)).map((row) => [String(recordOf('Membership', table, row).MembershipID), row.Id]))
    const patches = attempted(given, ({ id, changes, before }): Patch | false => {
      const row = rows.get(id)
      return row === undefined ? false : { table, id: row, body: changesOf(table, changes, before) }
    })
    return settled(patches, (patch) => (patch === false ? false : Object.keys(patch.body).length > 0 ? undefined : true), writes.update)
  }

  async function get(type: string, ids: readonly string[]): Promise<StoredRecord[]> {
    if (type === 'Note' && notes) return notes.get(ids)
    if (type === 'Membership') return (await membershipRows(api, tableOf(type), ids)).map((row) => recordOf(type, tableOf(type), row))
    if (type === 'Lead' && converted) {
      const rows = converted.note(await rowsById(api, tableOf(type), ids, IS_CONVERTED))
      return rows.map((row) => recordOf(type, tableOf(type), row))
    }
    if (type !== CUSTOM) return (await rowsById(api, tableOf(type), ids)).map((row) => recordOf(type, tableOf(type), row))
    const groups = [...(await customsOf(ids))]
    return (await Promise.all(groups.map(async ([custom, some]) => (await rowsById(api, custom.table, some)).map((row) => customRecordOf(custom, row))))).flat()
  }

  /** Salesforce finds ids, and the records are read as they are now: what its search knows may be older. */
  async function search(text: string, types: readonly string[], limit: number) {
    if (types.includes(CUSTOM)) await customs.all()
    const tables = types.flatMap((type): Searched[] => {
      if (type === CUSTOM) return customs.known().flatMap(({ table, isSearched }) => (isSearched ? [{ type, table, only: [] }] : []))
      const table = account.tables[type]
      return table && isSearched(table.object) && recordType(type).owned ? [{ type, table, only: more(type, table, { where: [] }) }] : []
    })
    const found = await searchedIds(api, tables, text, limit)
    const hits = await Promise.all(
      tables.map(async ({ type, table }) => {
        const ids = [...(found.get(table) ?? [])]
        return ids.length > 0 ? (await get(type, ids)).map((record) => ({ type, record })) : []
      }),
    )
    return hits.flat()
  }

  async function find(type: string, query: DriverQuery): Promise<DriverPage> {
    if (type === 'Note' && notes) return notes.find(query)
    const fields = query.fields && [...query.fields, ...(query.order ? [query.order.field] : [])]
    const reader = await readerOf(type, query.object, fields)
    if (!reader) return { records: [] }
    const { fields: _, ...whole } = query
    return page(api, reader.table, type === CUSTOM ? whole : query, reader.read, ...more(type, reader.table, query))
  }

  async function count(type: string, query: Parameters<CrmDriver['count']>[1]): Promise<number> {
    if (type === 'Note' && notes) return notes.count(query)
    const reader = await readerOf(type, query.object)
    return reader ? counted(api, reader.table, query, ...more(type, reader.table, query)) : 0
  }

  return {
    narrows(type: string, condition: Condition) {
      if (type === 'Note' && notes) return condition.field === 'RecordID' && condition.operator === 'eq' ? 'exactly' : 'not'
      const found = placesFor(type, condition).map((place) => narrowed(place, condition)?.how ?? 'not')
      return found.length === 0 || found.includes('not') ? 'not' : found.includes('roughly') ? 'roughly' : 'exactly'
    },

    narrowsTree(type: string, where: Where) {
      if (type === 'Note' && notes) return 'not'
      const found = tablesFor(type).map((table) => combined(account.tables, table, where)?.how ?? 'not')
      if (found.length === 0 || found.includes('not'))
        return type === 'Lead' && converted && unconverted(tableOf(type), [where]).length === 0 ? 'roughly' : 'not'
      return found.includes('roughly') ? 'roughly' : 'exactly'
    },

    orders(type, order) {
      const places = placesFor(type, order)
      return places.length > 0 && places.every(sorts)
    },

    search: (text, types, limit) => account.read(() => search(text, types, limit)),
    get: (type, ids) => account.read(() => get(type, ids)),
    find: (type, query) => account.read(() => find(type, query)),
    count: (type, query) => account.read(() => count(type, query)),
    async exported(type, cursor) {
      // Those of custom objects are read object by object, and modern notes have no table.
      if (type === CUSTOM || recordType(type).childOf) return undefined
      await account.current()
      const table = tableOf(type)
      return exported(parts, table, more(type, table, { where: [] }), (row) => recordOf(type, table, row), cursor)
    },
    async attachedTo(type, _on, parents, query) {
      if (type === 'Note' && notes) return { records: (await account.read(() => notes.linkedTo(parents))).map((NoteID) => ({ NoteID })) }
      const where: Condition[] = [{ field: recordType(type).childOf?.field ?? '', family: 'text', operator: 'in', value: [...parents] }]
      const order = { field: recordType(type).createdField, descending: false }
      return account.read(() => find(type, { where, order, ...query }))
    },
    ...createFeed({ ...parts, get, readerOf, customsOf }),
    tally: (type, query) => account.read(() => tallied(api, type, tableOf(type), query, ...more(type, tableOf(type), query))),

    async create(type, records) {
      await account.current()
      if (type === 'Note' && notes) return notes.create(records)
      if (type === 'Membership') return memberships(records)
      const ids = await writes.create(type === CUSTOM ? await customDrafts(records) : drafts(type, records))
      account.noteRefusals(ids)
      return ids.map((id) => (id instanceof DriverError ? withDuplicates(id, account.tables) : { id }))
    },

    async update(type, given) {
      await account.current()
      if (type === 'Membership') return updatedMemberships(given)
      const { changes, contacts } = apart(type, given)
      const places = await Promise.all(changes.map(({ id }) => whereIs(type, id)))
      const patches = attempted(changes, ({ id, changes: changed, before, unchanged }, at): Patch | false => {
        const place = places[at]
        if (!place) return false
        const { table, custom } = place
        if (type === 'Lead') converted?.refuse(id)
        if (!custom) refuseGone(type, table, changed)
        const body = custom ? changesOf(table, customChanges(custom, changed, before), customDraft(custom, before)) : changesOf(table, changed, before)
        return { table, id, body, ...(unchanged && { unchangedSince: before.UpdatedDate as string }) }
      })
      const results = await settled(patches, (patch) => (patch === false ? false : Object.keys(patch.body).length > 0 ? undefined : true), writes.update)
      account.noteRefusals(results)
      return (await withContacts(results, changes, contacts)).map((result) => withDuplicates(result, account.tables))
    },

    async delete(type, ids) {
      if (type === 'Membership') {
        const table = tableOf(type)
        const rows = new Map((await membershipRows(api, table, ids)).map((row) => [String(recordOf(type, table, row).MembershipID), row.Id]))
        const known = ids.map((id): Known | false => (rows.has(id) ? { table, id: rows.get(id) as string } : false))
        return settled(known, (one) => (one === false ? false : undefined), writes.delete)
      }
      const places = await Promise.all(ids.map((id) => whereIs(type, id)))
      const known = ids.map((id, at): Known | false => (places[at] ? { table: places[at].table, id } : false))
      return settled(known, (one) => (one === false ? false : undefined), writes.delete)
    },

    keepsErased: () => 'Salesforce keeps it in its recycle bin for 15 days, unless that is emptied before.',

    async objects() {
      return [...(await customs.all()).values()].map(({ name }) => name)
    },

    async definitions() {
      return [...(await customs.all()).values()].flatMap(({ definitions }) => definitions)
    },

    define: (objectName, fresh) => customs.define(objectName, fresh),
  }
}

/** Sends only the items whose result is not known yet: neither an error nor an answer of `known`. */
async function settled<T>(
  items: readonly PerItem<T | false>[],
  known: (item: T | false) => boolean | undefined,
  send: (items: readonly PerItem<T>[]) => Promise<PerItem<boolean>[]>,
) {
  const open = items.flatMap((item, at) => (!(item instanceof DriverError) && known(item) === undefined ? [at] : []))
  const answers = open.length > 0 ? await send(open.map((at) => items[at] as T)) : []
  const sent = new Map(open.map((at, i) => [at, answers[i] as PerItem<boolean>]))
  return items.map((item, at): PerItem<boolean> => (item instanceof DriverError ? item : (known(item) ?? (sent.get(at) as PerItem<boolean>))))
}
