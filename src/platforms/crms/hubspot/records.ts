import { recordType } from '../../../contract/operations.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Order, StoredRecord, Where } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError, ofStep } from '../engine/errors.ts'
import { isSamePhone } from '../engine/matching.ts'
import type { Place, Table } from '../engine/tables.ts'
import { translatedPage } from '../engine/translated-page.ts'
import { familyOf, placeOf, toNewRow, toRecord, toRow } from '../engine/translation.ts'
import { codec } from './codec.ts'
import { filterGroupsOfTree } from './condition-trees.ts'
import { combined, EVERYTHING, type FilterGroups, filterGroupsOf, isExact, isId } from './filters.ts'
import type { Change, Handler } from './handler.ts'
import { type Input, LONG, type Objects, type Properties, type Row, TOGETHER, type Written } from './objects.ts'
import { PAGE, pageOf } from './pages.ts'
import { type Associated, References } from './references.ts'
import { ASSOCIATED, ID, OWNER } from './tables.ts'

type Named = { readonly field: string; readonly name?: string }

/** The records of one type, in objects of one type of HubSpot's. */
export class Records implements Handler {
  readonly objects: Objects
  readonly table: Table
  protected readonly type: string
  private readonly references: References
  private readonly phones: readonly string[]
  /** The fields that always have a text, even where HubSpot has none. */
  private readonly texts: readonly string[]

  /** `phones` are the properties by which telephone numbers are found. */
  constructor(type: string, objects: Objects, table: Table, phones: readonly string[] = []) {
    this.type = type
    this.phones = phones
    this.objects = objects
    this.table = table
    this.references = new References(objects.connection, objects.object, table)
    const { fields } = recordType(type)
    this.texts = Object.entries(table.fields).flatMap(([name, place]) => (place && familyOf(place) === 'text' && fields[name]?.required ? [name] : []))
  }

  protected place({ field }: Named): Place | undefined {
    return placeOf(this.table, field)
  }

  narrows(condition: Condition): ReturnType<Handler['narrows']> {
    const place = this.place(condition)
    if (!place || !filterGroupsOf(place, condition)) return 'not'
    return isExact(place, condition) ? 'exactly' : 'roughly'
  }

  narrowsTree(where: Where): 'roughly' | 'not' {
    return this.treeGroups(where) ? 'roughly' : 'not'
  }

  orders(order: Order): boolean {
    const place = this.place(order)
    return place !== undefined && place.sorts !== false && SORTED.has(familyOf(place))
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    const rows = await this.objects.read(ids, this.properties(), this.references.objects())
    return this.recordsOf(rows.filter((row) => this.isOurs(row)))
  }

  /** Whether associations can be asked for with a record: its properties have to fit into the address. */
  get showsAssociations(): boolean {
    return String(this.properties()).length <= LONG
  }

  /** A record, and how many records of another of HubSpot's types belong to it; undefined where there are more than it shows. */
  async getWith(id: string, to: string): Promise<{ readonly record: StoredRecord; readonly count: number | undefined } | undefined> {
    const properties = this.properties()
    const found = isId(id) ? await this.objects.oneWith(id, properties, to, this.references.objects()) : undefined
    if (!found || !this.isOurs(found.row)) return undefined
    const [record] = await this.recordsOf([found.row])
    return record && { record, count: found.ids?.size }
  }

  async find(query: DriverQuery): Promise<DriverPage> {
    const { owners, where, trees = [] } = query
    if (query.current) return this.current(query)
    const narrowing = [...where.map((condition) => this.filterGroups(condition)), ...trees.map((tree) => this.treeGroups(tree))].filter(
      (filterGroups) => filterGroups !== undefined,
    )
    const search = this.searching([...narrowing, ...this.standing(owners)], query)
    const { rows, cursor } = await pageOf(search, query, narrowing.length > 0 || owners !== undefined)
    const wanted = rows.filter((row) => this.isOurs(row) && (!owners || owners.includes(ownerOf(row))))
    return translatedPage(wanted, await this.readerOf(wanted, query.fields), cursor)
  }

  /** Records as they are, not as the index of searches has them: by the list, where it is not too long, or by an index that has caught up. */
  private async current({ where, cursor }: DriverQuery): Promise<DriverPage> {
    const since = sinceIn(where)
    if (cursor === undefined && (await this.count({ where: [] })) > LISTED) {
      const created = this.table.fields.CreatedDate?.name ?? ''
      const { rows } = await this.objects.search({ filterGroups: combined(this.standing(undefined), []), sort: `-${created}`, properties: [created], limit: 1 })
      if ((rows[0]?.createdAt ?? '') < new Date(Date.parse(since) + CAUGHT_UP_MS).toISOString()) throw behind(this.type)
      return { records: [] }
    }
    const { rows, cursor: next } = await pageOf(this.searching([], { where }), { where: [], size: TOGETHER, ...(cursor !== undefined && { cursor }) }, false)
    const fresh = rows.filter((row) => this.isOurs(row) && (row.createdAt ?? since) >= since)
    return translatedPage(fresh, await this.readerOf(fresh), next)
  }

  private searching(may: readonly FilterGroups[], query: Pick<DriverQuery, 'fields' | 'where' | 'order'>) {
    return {
      objects: this.objects,
      place: (named: Named) => this.place(named),
      properties: this.properties(query),
      associations: this.references.objects(query.fields),
      may,
    }
  }

  async count({ owners, where }: Parameters<Handler['count']>[0]): Promise<number> {
    const narrowing = where.map((condition) => this.filterGroups(condition) ?? EVERYTHING)
    const { total } = await this.objects.search({ filterGroups: combined([...narrowing, ...this.standing(owners)], []), sort: ID, properties: [ID], limit: 1 })
    return total
  }

  private filterGroups(condition: Condition): FilterGroups | undefined {
    const place = this.place(condition)
    return place && filterGroupsOf(place, condition)
  }

  private treeGroups(where: Where): FilterGroups | undefined {
    return filterGroupsOfTree(where, (condition) => this.filterGroups(condition))
  }

  /** By HubSpot's own search over the properties that it finds records of this kind by, and by their digits where the text is a telephone number. */
  async search(text: string, limit: number): Promise<StoredRecord[]> {
    const [byWords, byPhone] = await Promise.all([this.found([], limit, text.slice(0, LONGEST_QUERY)), this.byPhone(text, limit)])
    const ids = new Set(byWords.map(({ id }) => id))
    return this.recordsOf([...byWords, ...byPhone.filter(({ id }) => !ids.has(id))])
  }

  private async byPhone(text: string, limit: number): Promise<readonly Row[]> {
    const digits = PHONE.test(text.trim()) ? text.replace(/\D/g, '') : ''
    if (this.phones.length === 0 || digits.length < LOCAL) return []
    // The country code may be there or not.
    const value = `*${digits.slice(-LOCAL)}`
    const rows = await this.found([this.phones.map((propertyName) => [{ propertyName, operator: 'CONTAINS_TOKEN', value }])], limit)
    const places = Object.values(this.table.fields).flatMap((place) => (place?.kind === 'phone' ? [place.name] : []))
    return rows.filter(({ properties }) => places.some((name) => isSamePhone(properties[name] ?? '', text)))
  }

  private async found(filters: readonly FilterGroups[], limit: number, query?: string): Promise<readonly Row[]> {
    const { rows } = await this.objects.search({
      filterGroups: combined([...filters, ...this.standing(undefined)], []),
      ...(query !== undefined && { query }),
      sort: `-${this.table.fields.CreatedDate?.name ?? ID}`,
      properties: this.properties(),
      limit: Math.min(limit, PAGE),
    })
    return rows.filter((row) => this.isOurs(row))
  }

  /** The filters of every search: the record type and the owners. */
  protected standing(owners: readonly string[] | undefined): FilterGroups[] {
    const fixed = Object.entries(this.table.fixed ?? {}).map(
      ([propertyName, value]): FilterGroups => [[{ propertyName, operator: 'EQ', value: String(value) }]],
    )
    const owned = owners && filterGroupsOf({ name: OWNER, kind: 'id' }, { field: 'OwnerID', family: 'text', operator: 'in', value: owners })
    return owned ? [...fixed, owned] : fixed
  }

  async create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    return this.created(records, await this.objects.create(records.map((record) => this.input(record))))
  }

  protected async created(records: readonly StoredRecord[], rows: readonly PerItem<Row>[]): Promise<PerItem<Created>[]> {
    return rows.map((row, index) => {
      if (row instanceof DriverError) return row
      const sent = Object.entries(toRow(this.table, codec, records[index] ?? {})).filter(([name, value]) => name.startsWith(ASSOCIATED) && value !== '')
      return this.recordOf(row, Object.fromEntries(sent) as Associated)
    })
  }

  protected input(record: StoredRecord): Input {
    const row = toNewRow(this.table, codec, record)
    return { properties: filled(ofRecord(row)), associations: this.references.forNew(row) }
  }

  async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    const rows = changes.map(({ id, changes: changed }) => ({ id, row: toRow(this.table, codec, changed) }))
    const answers = await this.sent(rows.map(({ id, row }) => ({ id, properties: written(ofRecord(row)) })))
    // What the record itself refuses leaves its references as they are.
    const failures = await this.references.set(rows.filter((_row, index) => answers[index] !== false && !(answers[index] instanceof DriverError)))
    return answers.map((answer, index) => {
      const { id, row } = rows[index] as (typeof rows)[number]
      return answer instanceof DriverError && this.references.areIn(row) ? ofStep(answer) : (failures.get(id) ?? answer)
    })
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

  /** The record, where the answer to a change has all of it. It never has references. */
  protected whole(row: Row): StoredRecord | undefined {
    return this.references.isEmpty && this.properties().every((name) => Object.hasOwn(row.properties, name)) ? this.recordOf(row) : undefined
  }

  /** The properties that have to be read. */
  protected properties(query?: Pick<DriverQuery, 'fields' | 'where' | 'order'>): string[] {
    const wanted = query?.fields && new Set([...query.fields, ...query.where.map(({ field }) => field), query.order?.field ?? '', ...OWN])
    const places = Object.entries(this.table.fields).flatMap(([name, place]) => (place && (!wanted || wanted.has(name)) ? [place.name] : []))
    return [...new Set([...places, OWNER, ...Object.keys(this.table.fixed ?? {})])].filter((name) => name !== ID && !name.startsWith(ASSOCIATED))
  }

  private async recordsOf(rows: readonly Row[]): Promise<StoredRecord[]> {
    return rows.map(await this.readerOf(rows))
  }

  /** How each of these rows is translated, with what is associated with it. */
  protected async readerOf(rows: readonly Row[], fields?: readonly string[]): Promise<(row: Row) => StoredRecord> {
    if (this.references.isEmpty || rows.length === 0) return (row) => this.recordOf(row)
    const associated = await this.references.of(rows, fields)
    return (row) => this.recordOf(row, associated.get(row.id))
  }

  protected recordOf(row: Row, more: Properties = {}): StoredRecord {
    const { CreatedDate, UpdatedDate } = this.table.fields
    const { createdAt = null, updatedAt = null } = row
    const whole: Record<string, string | null> = { ...row.properties, ...more, [ID]: row.id }
    if (CreatedDate) whole[CreatedDate.name] ??= createdAt
    if (UpdatedDate) whole[UpdatedDate.name] ??= updatedAt
    const record = toRecord(this.table, codec, whole)
    for (const name of ['OwnerID', 'AuthorID']) if (Object.hasOwn(this.table.fields, name)) record[name] ??= NOBODY
    for (const name of this.texts) record[name] ??= ''
    return record
  }

  protected isOurs({ properties }: Row): boolean {
    return Object.entries(this.table.fixed ?? {}).every(([name, value]) => properties[name] === String(value))
  }
}

/** The longest text that is searched for: a search has room for 3,000 characters in all. */
const LONGEST_QUERY = 500

const PHONE = /^\+?[\d\s()./-]+$/
/** So many digits, from the end, are the same however a number is written. */
const LOCAL = 7

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

/** What of a row the record itself has, without its references. */
function ofRecord(row: { readonly [name: string]: unknown }): { [name: string]: unknown } {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith(ASSOCIATED)))
}

/** Every value as a text: numbers and truth values of defaults, too. */
export function written(properties: { readonly [name: string]: unknown }): Written {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, value === null || value === undefined ? '' : String(value)]))
}

/** A new record has no value to clear. */
export function filled(properties: { readonly [name: string]: unknown }): Written {
  return Object.fromEntries(Object.entries(written(properties)).filter(([, value]) => value !== ''))
}
