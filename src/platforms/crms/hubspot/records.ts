import { recordType } from '../../../contract/operations.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Order, StoredRecord } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import { familyOf, placeOf, toNewRow, toRecord, toRow } from '../engine/translation.ts'
import { codec } from './codec.ts'
import { combined, type FilterGroups, filterGroupsOf, isId } from './filters.ts'
import type { Change, Handler } from './handler.ts'
import { type Input, LONG, type Objects, type Properties, type Row, TOGETHER, type Written } from './objects.ts'
import { pageOf } from './pages.ts'
import { ID, OWNER } from './tables.ts'

type Named = { readonly field: string; readonly name?: string }

/** The records of one type, in objects of one type of HubSpot's. */
export class Records implements Handler {
  readonly objects: Objects
  readonly table: Table
  protected readonly type: string
  /** The fields that always have a text, even where HubSpot has none. */
  private readonly texts: readonly string[]

  constructor(type: string, objects: Objects, table: Table) {
    this.type = type
    this.objects = objects
    this.table = table
    const { fields } = recordType(type)
    this.texts = Object.entries(table.fields).flatMap(([name, place]) => (place && familyOf(place) === 'text' && fields[name]?.required ? [name] : []))
  }

  protected place({ field }: Named): Place | undefined {
    return placeOf(this.table, field)
  }

  narrows(condition: Condition): ReturnType<Handler['narrows']> {
    const place = this.place(condition)
    return place && filterGroupsOf(place, condition) ? 'roughly' : 'not'
  }

  orders(order: Order): boolean {
    const place = this.place(order)
    return place !== undefined && place.sorts !== false && SORTED.has(familyOf(place))
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    const rows = await this.objects.read(ids, this.properties())
    return this.recordsOf(rows.filter((row) => this.isOurs(row)))
  }

  /** Whether associations can be asked for with a record: its properties have to fit into the address. */
  get showsAssociations(): boolean {
    return String(this.properties()).length <= LONG
  }

  /** A record, and how many records of another of HubSpot's types belong to it; undefined where there are more than it shows. */
  async getWith(id: string, to: string): Promise<{ readonly record: StoredRecord; readonly count: number | undefined } | undefined> {
    const properties = this.properties()
    const found = isId(id) ? await this.objects.oneWith(id, properties, to) : undefined
    if (!found || !this.isOurs(found.row)) return undefined
    const [record] = await this.recordsOf([found.row])
    return record && { record, count: found.ids?.size }
  }

  async find(query: DriverQuery): Promise<DriverPage> {
    const { owners, where } = query
    if (query.current) return this.current(query)
    const narrowing = where.flatMap((condition) => {
      const filterGroups = this.filterGroups(condition)
      return filterGroups ? [filterGroups] : []
    })
    const search = this.searching([...narrowing, ...this.standing(owners)], query)
    const { rows, cursor } = await pageOf(search, query, narrowing.length > 0 || owners !== undefined)
    const wanted = rows.filter((row) => this.isOurs(row) && (!owners || owners.includes(ownerOf(row))))
    return { records: await this.recordsOf(wanted, query.fields), ...(cursor !== undefined && { cursor }) }
  }

  /** Records as they are, not as the index of searches has them: by the list, where it is not too long, or by an index that has caught up. */
  private async current({ where, cursor }: DriverQuery): Promise<DriverPage> {
    const since = sinceIn(where)
    if (cursor === undefined && (await this.count({ where })) > LISTED) {
      const created = this.table.fields.CreatedDate?.name ?? ''
      const { rows } = await this.objects.search({ filterGroups: combined(this.standing(undefined), []), sort: `-${created}`, properties: [created], limit: 1 })
      if ((rows[0]?.createdAt ?? '') < new Date(Date.parse(since) + CAUGHT_UP_MS).toISOString()) throw behind(this.type)
      return { records: [] }
    }
    const { rows, cursor: next } = await pageOf(this.searching([], { where }), { where: [], size: TOGETHER, ...(cursor !== undefined && { cursor }) }, false)
    const fresh = rows.filter((row) => this.isOurs(row) && (row.createdAt ?? since) >= since)
    return { records: await this.recordsOf(fresh), ...(next !== undefined && { cursor: next }) }
  }

  private searching(may: readonly FilterGroups[], query: Pick<DriverQuery, 'fields' | 'where' | 'order'>) {
    return { objects: this.objects, place: (named: Named) => this.place(named), properties: this.properties(query), may }
  }

  async count({ owners }: Parameters<Handler['count']>[0]): Promise<number> {
    const { total } = await this.objects.search({ filterGroups: combined(this.standing(owners), []), sort: ID, properties: [ID], limit: 1 })
    return total
  }

  private filterGroups(condition: Condition): FilterGroups | undefined {
    const place = this.place(condition)
    return place && filterGroupsOf(place, condition)
  }

  /** The filters of every search: the record type and the owners. */
  private standing(owners: readonly string[] | undefined): FilterGroups[] {
    const fixed = Object.entries(this.table.fixed ?? {}).map(
      ([propertyName, value]): FilterGroups => [[{ propertyName, operator: 'EQ', value: String(value) }]],
    )
    const owned = owners && filterGroupsOf({ name: OWNER, kind: 'id' }, { field: 'OwnerID', family: 'text', operator: 'in', value: owners })
    return owned ? [...fixed, owned] : fixed
  }

  async create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    return this.created(records, await this.objects.create(records.map((record) => this.input(record))))
  }

  protected async created(_records: readonly StoredRecord[], rows: readonly PerItem<Row>[]): Promise<PerItem<Created>[]> {
    return rows.map((row) => (row instanceof DriverError ? row : this.recordOf(row)))
  }

  protected input(record: StoredRecord): Input {
    return { properties: filled(toNewRow(this.table, codec, record)), associations: [] }
  }

  async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    const inputs = changes.map(({ id, changes: changed }) => ({ id, properties: written(toRow(this.table, codec, changed)) }))
    return this.sent(inputs)
  }

  protected async sent(inputs: readonly { readonly id: string; readonly properties: Written }[]): Promise<PerItem<StoredRecord | boolean>[]> {
    const some = inputs.filter(({ properties }) => Object.keys(properties).length > 0)
    const rows = some.length > 0 ? await this.objects.update(some) : []
    const answers = new Map(some.map((input, index) => [input, rows[index] as PerItem<Row | false>]))
    return inputs.map((input) => {
      const row = answers.get(input)
      if (row === undefined) return true
      return row === false || row instanceof DriverError ? row : (this.whole(row) ?? true)
    })
  }

  async delete(ids: readonly string[]): Promise<PerItem<boolean>[]> {
    return this.objects.archive(ids)
  }

  /** The record, where the answer to a change has all of it. */
  protected whole(row: Row): StoredRecord | undefined {
    return this.properties().every((name) => Object.hasOwn(row.properties, name)) ? this.recordOf(row) : undefined
  }

  /** The properties that have to be read. */
  protected properties(query?: Pick<DriverQuery, 'fields' | 'where' | 'order'>): string[] {
    const wanted = query?.fields && new Set([...query.fields, ...query.where.map(({ field }) => field), query.order?.field ?? '', ...OWN])
    const places = Object.entries(this.table.fields).flatMap(([name, place]) => (place && (!wanted || wanted.has(name)) ? [place.name] : []))
    return [...new Set([...places, OWNER, ...Object.keys(this.table.fixed ?? {})])].filter((name) => name !== ID)
  }

  protected async recordsOf(rows: readonly Row[], _fields?: readonly string[]): Promise<StoredRecord[]> {
    return rows.map((row) => this.recordOf(row))
  }

  protected recordOf(row: Row, more: Properties = {}): StoredRecord {
    const { CreatedDate, UpdatedDate } = this.table.fields
    const { createdAt = null, updatedAt = null } = row
    const times = { ...(CreatedDate && { [CreatedDate.name]: createdAt }), ...(UpdatedDate && { [UpdatedDate.name]: updatedAt }) }
    const known = Object.fromEntries(Object.entries(row.properties).filter(([, value]) => value !== null))
    const record = toRecord(this.table, codec, { ...times, ...known, ...more, [ID]: row.id })
    for (const name of ['OwnerID', 'AuthorID']) if (Object.hasOwn(this.table.fields, name)) record[name] ??= NOBODY
    for (const name of this.texts) record[name] ??= ''
    return record
  }

  protected isOurs({ properties }: Row): boolean {
    return Object.entries(this.table.fixed ?? {}).every(([name, value]) => properties[name] === String(value))
  }
}

/** The most records of which all are listed to find one. */
const LISTED = 10_000
/** An index that has what was created so much later has everything from before. */
const CAUGHT_UP_MS = 600_000

/** The time from which on records count. */
const sinceIn = (where: readonly Condition[]) =>
  String(where.find(({ field, operator }) => field === 'CreatedDate' && operator === 'gte')?.value ?? new Date(0).toISOString())

function behind(type: string): DriverError {
  return new DriverError('outcome_unknown', `HubSpot does not tell yet whether the ${type} of an earlier call with this Idempotency-Key was created.`, {
    retryAfterMs: 60_000,
    hint: 'Call again with the same key in some minutes, or look in HubSpot: if it is not there, call with another key.',
  })
}

const SORTED: ReadonlySet<unknown> = new Set(['number', 'date', 'timestamp'])
/** Properties that are always read. */
const OWN = ['OwnerID', 'CreatedDate', 'UpdatedDate']

const ownerOf = ({ properties }: Row): string => properties[OWNER] || NOBODY

/** Every value as a text: numbers and truth values of defaults, too. */
export function written(properties: { readonly [name: string]: unknown }): Written {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, value === null || value === undefined ? '' : String(value)]))
}

/** A new record has no value to clear. */
export function filled(properties: { readonly [name: string]: unknown }): Written {
  return Object.fromEntries(Object.entries(written(properties)).filter(([, value]) => value !== ''))
}
