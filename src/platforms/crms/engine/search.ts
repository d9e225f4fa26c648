import { comparisonsIn, isCondition, withComparisons } from '../../../contract/conditions.ts'
import { recordType } from '../../../contract/operations.ts'
import type { Budget, Condition, Found, Order, Query, StoredRecord, UserIds, Value, Where } from '../../platform.ts'
import { type Account, refersToUser, toOurRecordInPlace, toPlatformId } from './account.ts'
import { compared, matches, sorting, valueIn } from './comparison.ts'
import { asksForLackingText, isPlain, narrowing, partsOf } from './conditions.ts'
import type { DriverQuery } from './driver.ts'
import { DriverError } from './errors.ts'
import { type Reading, RecordStream, type Wanted } from './record-stream.ts'
import { ReferredRecords } from './referred-records.ts'
import { rowsOf } from './rows.ts'

/** From this page size on the caller most likely reads on. */
const MANY = 500
/** The most records that are sorted in memory. */
const SORTED_HERE = 20_000

/** A page of a search. The CRM filters and sorts as far as it compares as the contract says; the rest is done here. */
export async function find(account: Account, userIds: UserIds, type: string, query: Query, budget?: Budget): Promise<Found> {
  const { searches, driver } = account
  const caller = budget?.share ?? ''
  const open = searches.take(caller, type, query)
  const referred = new ReferredRecords(account, userIds, query.where)
  const source = open ?? new RecordStream(wantedBy(type, query, referred), (reading) => matching(account, userIds, type, query, reading, referred))
  if (!open) searches.begin(type, source)
  source.prefetches = open !== undefined || query.limit >= Math.min(MANY, driver.supports.page)
  source.budget = budget
  let kept = false
  try {
    const { records, more } = await source.take(query.limit)
    const last = records.at(-1)
    if (more && last) {
      const after = { value: valueIn(last, query.order), id: last[recordType(type).id] as string }
      searches.keep(caller, type, { ...query, after }, source)
      kept = true
    }
    return { records, more }
  } finally {
    if (!kept) searches.end(source)
  }
}

function wantedBy(type: string, { owners, where, order, after }: Query, referred: ReferredRecords): Wanted {
  const { id } = recordType(type)
  const sorts = sorting(order, id)
  const beyond = after && edge(order, id, after)
  return {
    id,
    sorts,
    matches: (record) => (!beyond || sorts(record, beyond) > 0) && isOwned(type, owners, record) && where.every((one) => matches(record, one, referred.behind)),
  }
}

/** Every record that matches, in order, after the one that the query begins after; page by page as the CRM delivers them. */
export async function* matching(
  account: Account,
  userIds: UserIds,
  type: string,
  query: Query,
  reading: Reading = {},
  referred = new ReferredRecords(account, userIds, query.where),
): AsyncGenerator<StoredRecord[]> {
  const owners = query.owners && theirOwners(userIds, query.owners)
  if (owners?.length === 0) return
  const { order, after } = query
  const { id, sorts, matches: wanted } = wantedBy(type, query, referred)

  const streams: AsyncGenerator<StoredRecord[]>[] = []
  for (const object of await objectsOf(account, type, query.where)) {
    const pushed = query.where.filter((one) => isPushedDown(account, type, one, object))
    const sorted = account.driver.orders(type, order) && !refersToUser(type, order.field)
    const exactly = pushed.length === query.where.length && pushed.every((one) => narrowed(account, type, one) === 'exactly')
    const { where, trees } = partsOf(pushed.map((one) => withTheirIds(userIds, type, one)))
    const driverQuery: DriverQuery = {
      ...(owners && { owners }),
      where,
      ...(trees.length > 0 && { trees }),
      ...(sorted && { order, ...(after && { from: { value: after.value } }) }),
      ...(query.fields && !wholeFor(query) && { fields: fieldsFor(type, query) }),
      size: exactly && sorted && query.limit < account.driver.supports.page / 4 ? query.limit + 2 : account.driver.supports.page,
      ...(query.on !== undefined && { on: query.on }),
      ...(object !== undefined && { object: object.name }),
    }
    const written = new RecentOverlay(id, account.recentWrites.of(type, query.on ?? object?.name))
    const pages = withinBudget(
      rowsOf(account.driver, type, id, driverQuery, () => reading.prefetches ?? false),
      reading,
    )
    const rows = referred.loadedFor(asRecords(account, userIds, type, pages, written))
    await referred.load([...account.recentWrites.of(type, query.on ?? object?.name).values()])
    streams.push(sorted ? sortTies(rows, order, sorts, wanted) : sortHere(account, rows, order, sorts, wanted))
    if (account.driver.supports.lagMs > 0) streams.push(written.listed(sorts, wanted))
  }
  yield* streams.length === 1 ? (streams[0] as AsyncGenerator<StoredRecord[]>) : merged(streams, sorts)
}

/** The pages of a search, until the budget of the call that reads them is over. */
async function* withinBudget(pages: AsyncGenerator<StoredRecord[]>, reading: Reading): AsyncGenerator<StoredRecord[]> {
  for await (const page of pages) {
    if (reading.budget?.isOver) throw reading.budget.signal.reason
    yield page
  }
}

/** Records that were written so recently that the CRM's search may not show them yet. They are shown unless the search has a newer state. */
class RecentOverlay {
  private readonly id: string
  private readonly records: ReadonlyMap<string, StoredRecord | undefined>
  private readonly shown = new Set<string>()
  private readonly outdated = new Set<string>()

  constructor(id: string, records: ReadonlyMap<string, StoredRecord | undefined>) {
    this.id = id
    this.records = records
  }

  /** Whether a row of the search is left out, because the recent write is shown instead. */
  hides(row: StoredRecord): boolean {
    const id = row[this.id] as string
    if (!this.records.has(id)) return false
    const record = this.records.get(id)
    if (!record || this.shown.has(id) || (row.UpdatedDate ?? '') < (record.UpdatedDate ?? '')) return true
    this.outdated.add(id)
    return false
  }

  async *listed(sorts: (a: StoredRecord, b: StoredRecord) => number, wanted: (record: StoredRecord) => boolean): AsyncGenerator<StoredRecord[]> {
    for (const record of [...this.records.values()].filter((one): one is StoredRecord => one !== undefined && wanted(one)).sort(sorts)) {
      const id = record[this.id] as string
      if (this.outdated.has(id)) continue
      this.shown.add(id)
      yield [record]
    }
  }
}

function theirOwners(userIds: UserIds, owners: readonly string[]): string[] {
  return owners.flatMap((owner) => userIds.toPlatform(owner) ?? [])
}

export function isOwned(type: string, owners: readonly string[] | undefined, record: StoredRecord): boolean {
  const { belongs } = recordType(type)
  return !owners || belongs === null || owners.includes(record[belongs] as string)
}

/** The record that a page ended with, in as far as the order looks at it. */
function edge({ field, name }: Order, id: string, after: { readonly value: Value; readonly id: string }): StoredRecord {
  return { [field]: name === undefined ? after.value : { [name]: after.value }, [id]: after.id }
}

/** A custom object, and the fields it has. */
interface CustomObject {
  readonly name: string
  readonly fields: ReadonlySet<string>
}

/** The custom objects that are to be searched; everything else is one, without a name. */
export async function objectsOf({ driver }: Account, type: string, conditions: readonly Where[]): Promise<(CustomObject | undefined)[]> {
  if (!recordType(type).userDefined) return [undefined]
  const where = conditions.filter(isPlain)
  const fields = new Map<string, Set<string>>()
  for (const { ObjectName, FieldName } of await driver.definitions()) fields.set(ObjectName, (fields.get(ObjectName) ?? new Set()).add(FieldName))
  const named = where.filter(({ field, operator }) => field === 'ObjectName' && (operator === 'eq' || operator === 'in'))
  const names = new Set([...(await driver.objects()), ...named.flatMap(({ value }) => [value].flat())])
  return [...names].flatMap((name) => {
    if (typeof name !== 'string' || !where.every((condition) => condition.field !== 'ObjectName' || matches({ ObjectName: name }, condition))) return []
    return [{ name, fields: fields.get(name) ?? new Set() }]
  })
}

/** How far the CRM narrows a condition. Whether the caller may see the record behind a reference is checked here. */
function narrowed({ driver }: Account, type: string, where: Where): 'exactly' | 'roughly' | 'not' {
  if (isPlain(where)) return narrowing(driver, type, where)
  const how = driver.narrowsTree?.(type, where) ?? 'not'
  if (!comparisonsIn([where]).some(({ through }) => through?.owners !== undefined)) return how
  // Of a negation the CRM would leave out what a hidden record excludes.
  return isCondition(where) && how !== 'not' && where.value !== null && where.operator !== 'ne' ? 'roughly' : 'not'
}

function isPushedDown(account: Account, type: string, where: Where, object: CustomObject | undefined): boolean {
  const isLeftHere = (condition: Condition) => {
    const { through, field, name, operator } = condition
    if (asksForLackingText(type, condition)) return true
    if (field === 'Revision' || (object && field === 'ObjectName')) return true
    if (object && name !== undefined && !object.fields.has(name)) return true
    return refersToUser(through?.type ?? type, field) && (operator === 'contains' || operator === 'startsWith')
  }
  return !comparisonsIn([where]).some(isLeftHere) && narrowed(account, type, where) !== 'not'
}

/** A condition in the CRM's own ids. */
function withTheirIds(userIds: UserIds, type: string, where: Where): Where {
  return withComparisons(where, (condition) => {
    const { through, field, value } = condition
    if (!refersToUser(through?.type ?? type, field)) return condition
    return { ...condition, value: Array.isArray(value) ? value.map((one) => toPlatformId(userIds, one)) : toPlatformId(userIds, value as Value) }
  })
}

/** The fields of the records themselves that conditions look at. */
const ownFields = (where: readonly Where[]) => comparisonsIn(where).map(({ through, field }) => through?.field ?? field)

/** Whether whole records have to be read, since their Revision is made of all values. */
function wholeFor({ fields = [], where }: Query): boolean {
  return [...fields, ...ownFields(where)].includes('Revision')
}

/** The fields to read: those wanted, and those that are compared here. */
function fieldsFor(type: string, { fields = [], where, order }: Query): string[] {
  const { revised, belongs, createdField, userDefined } = recordType(type)
  const own = [order.field, createdField, ...(belongs === null ? [] : [belongs]), ...(revised ? ['UpdatedDate'] : []), ...(userDefined ? ['ObjectName'] : [])]
  return [...new Set([...fields, ...ownFields(where), ...own])].filter((field) => field !== 'Revision')
}

/** Rows as records of ours, without those of which a recent write is shown instead. */
async function* asRecords(
  account: Account,
  userIds: UserIds,
  type: string,
  rows: AsyncGenerator<StoredRecord[]>,
  written: RecentOverlay,
): AsyncGenerator<StoredRecord[]> {
  for await (const page of rows) yield page.filter((row) => !written.hides(row)).map((row) => toOurRecordInPlace(account, userIds, type, row))
}

/** Sorts ties by id in a stream that is otherwise in order. */
async function* sortTies(
  rows: AsyncGenerator<StoredRecord[]>,
  order: Order,
  sorts: (a: StoredRecord, b: StoredRecord) => number,
  wanted: (record: StoredRecord) => boolean,
): AsyncGenerator<StoredRecord[]> {
  let ties: StoredRecord[] = []
  for await (const page of rows) {
    const ready: StoredRecord[] = []
    for (const record of page) {
      const [first] = ties
      if (first && compared(valueIn(first, order), valueIn(record, order)) !== 0) {
        for (const tie of ties.sort(sorts)) if (wanted(tie)) ready.push(tie)
        ties = []
      }
      ties.push(record)
    }
    if (ready.length > 0) yield ready
  }
  yield ties.sort(sorts).filter(wanted)
}

async function* sortHere(
  { driver }: Account,
  rows: AsyncGenerator<StoredRecord[]>,
  { field, name }: Order,
  sorts: (a: StoredRecord, b: StoredRecord) => number,
  wanted: (record: StoredRecord) => boolean,
): AsyncGenerator<StoredRecord[]> {
  const records: StoredRecord[] = []
  for await (const page of rows) {
    records.push(...page.filter(wanted))
    if (records.length > SORTED_HERE)
      throw new DriverError(
        'unsupported',
        `${driver.name} does not sort by ${name ?? field} as this service does, and more than ${SORTED_HERE.toLocaleString('en')} records match.`,
        { hint: 'Narrow the search with Filters, or leave OrderBy out.' },
      )
  }
  yield records.sort(sorts)
}

/** Several streams in order as one. The last of them is passed on page by page. */
async function* merged(
  streams: readonly AsyncGenerator<StoredRecord[]>[],
  sorts: (a: StoredRecord, b: StoredRecord) => number,
): AsyncGenerator<StoredRecord[]> {
  const heads: { readonly stream: AsyncGenerator<StoredRecord[]>; readonly page: StoredRecord[] }[] = []
  const advance = async (stream: AsyncGenerator<StoredRecord[]>) => {
    let next = await stream.next()
    while (next.value?.length === 0) next = await stream.next()
    if (!next.done) heads.push({ stream, page: next.value })
  }
  await Promise.all(streams.map(advance))
  while (heads.length > 1) {
    heads.sort((a, b) => sorts(a.page[0] as StoredRecord, b.page[0] as StoredRecord))
    const [{ stream, page }] = heads as [(typeof heads)[number]]
    yield page.splice(0, 1)
    if (page.length > 0) continue
    heads.shift()
    await advance(stream)
  }
  for (const { stream, page } of heads) {
    yield page
    yield* stream
  }
}
