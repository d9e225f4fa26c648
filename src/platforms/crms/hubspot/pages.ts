import type { Order, Value } from '../../platform.ts'
import type { DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import { decimal, momentIn } from './codec.ts'
import { combined, type Filter, type FilterGroups } from './filters.ts'
import { type Objects, type Row, TOGETHER } from './objects.ts'
import { ALWAYS, ID } from './tables.ts'

/** Records in a page of a search at most. */
export const PAGE = 200
/** Fewer are not worth a request. */
const FEWEST = 10
const DAY_MS = 86_400_000

export interface Page {
  readonly rows: readonly Row[]
  readonly cursor?: string
}

/** HubSpot's own cursor ends here. */
const CEILING = 10_000

/** How far a search has come by HubSpot's own cursor. */
interface Window {
  readonly offset: number
  /** The last record, its value, and all records of that value that were returned. */
  readonly last: string
  readonly at: string
  readonly tied: readonly string[]
}

/**
 * Where a search resumes. HubSpot's own cursor is an offset: it ends at 10,000 results, and shifts when records are added or removed. So each page
 * begins with the last record of the one before; if that is a different one by now, and at 10,000, a new search starts at the last value.
 */
type Position =
  /** After a page of the list, by HubSpot's cursor. */
  | { readonly after: string }
  /** After this id; with `absent`, among the records without a value. */
  | { readonly id: string; readonly absent?: true }
  /** From this value on, without `returnedIds`. `exclusive` leaves out the value itself; `tieAfterId` reads only records of this value, after this id. */
  | { readonly value?: string; readonly returnedIds?: readonly string[]; readonly exclusive?: true; readonly tieAfterId?: string; readonly window?: Window }

interface PagedSearch {
  readonly objects: Objects
  /** The property of each field that is asked about. */
  readonly place: (named: { readonly field: string; readonly name?: string }) => Place | undefined
  readonly properties: readonly string[]
  /** The objects whose associations come with the rows of a list; searches have none. */
  readonly associations: readonly string[]
  /** What narrows the search, what matters most at first. */
  readonly may: readonly FilterGroups[]
}

/** A page of records, by the list where nothing narrows or sorts it, and by a search otherwise. */
export async function pageOf(search: PagedSearch, { order, from, size, cursor }: DriverQuery, narrowed: boolean): Promise<Page> {
  const limit = Math.min(PAGE, Math.max(size, FEWEST))
  const at = cursor === undefined ? undefined : read(cursor)
  if (!order) {
    if (!narrowed) return listed(search, Math.min(limit, TOGETHER), at && 'after' in at ? at.after : undefined)
    const { rows, next } = await byId(search, limit, at && 'id' in at ? at.id : '0', [])
    return page(rows, next === undefined ? undefined : { id: next })
  }
  const place = search.place(order)
  if (!place) throw new DriverError('internal', `There is nothing to sort by ${order.field}.`)
  return ordered(search, limit, place, order, at ?? beginning(place, order, from))
}

async function listed({ objects, properties, associations }: PagedSearch, limit: number, after: string | undefined): Promise<Page> {
  const { rows, after: next } = await objects.list(properties, limit, after, associations)
  return page(rows, next === undefined || next === after ? undefined : { after: next })
}

/** The records after an id, and the last of them where there may be more. */
async function byId({ objects, properties, may }: PagedSearch, limit: number, id: string, filters: readonly Filter[]) {
  const filterGroups = combined([[[...filters, { propertyName: ID, operator: 'GT', value: id }]]], may)
  const { rows } = await objects.search({ filterGroups, sort: ID, properties, limit })
  const last = rows.at(-1)?.id
  return { rows, next: rows.length < limit || last === undefined || BigInt(last) <= BigInt(id) ? undefined : last }
}

/** Where an ordered search begins. Null is lowest, and HubSpot sorts only what has a value, so that the rest is a search of its own. */
function beginning(place: Place, { descending }: Order, from: DriverQuery['from']): Position {
  const startsAbsent = from ? from.value === null : !descending
  if (startsAbsent && !ALWAYS.has(place.name)) return { id: '0', absent: true }
  return !from || from.value === null ? {} : { value: bound(place, from.value, descending) }
}

/** A value of ours as HubSpot compares it; of a day the end that comes first. */
function bound({ kind }: Place, value: Value, descending: boolean): string {
  if (kind === 'timestamp') return String(Date.parse(String(value)))
  if (kind === 'date') return String(Date.parse(`${value}T00:00:00Z`) + (descending ? DAY_MS - 1 : 0))
  return decimal(Number(value))
}

async function ordered(search: PagedSearch, limit: number, place: Place, order: Order, at: Position): Promise<Page> {
  const { descending } = order
  const hasAbsent = !ALWAYS.has(place.name)
  if ('id' in at) {
    const { rows, next } = await byId(search, limit, at.id, [{ propertyName: place.name, operator: 'NOT_HAS_PROPERTY' }])
    return page(rows, next !== undefined ? { id: next, absent: true } : descending ? undefined : {})
  }
  const { value, returnedIds = [], exclusive, tieAfterId, window } = at as Exclude<Position, { id: string } | { after: string }>
  const afterValues: Position | undefined = descending && hasAbsent ? { id: '0', absent: true } : undefined
  // One that was returned and has another value by now was changed since.
  const fresh = (rows: readonly Row[]) => rows.filter((row) => !returnedIds.includes(row.id) || rawOf(place, row) !== value)

  if (tieAfterId !== undefined && value !== undefined) {
    const { rows, next } = await byId(search, limit, tieAfterId, [{ propertyName: place.name, operator: 'EQ', value }])
    return page(fresh(rows), next === undefined ? { value, exclusive: true } : { value, returnedIds, tieAfterId: next })
  }

  const operator = exclusive ? (descending ? 'LT' : 'GT') : descending ? 'LTE' : 'GTE'
  const filter: Filter = { propertyName: place.name, ...(value === undefined ? { operator: 'HAS_PROPERTY' } : { operator, value }) }
  // No filter is needed for a property that every record has.
  const filterGroups = combined([[value === undefined && !hasAbsent ? [] : [filter]]], search.may)
  const after = window ? window.offset - 1 : 0
  const { rows: found } = await search.objects.search({
    filterGroups,
    sort: `${descending ? '-' : ''}${place.name}`,
    properties: search.properties,
    limit,
    after,
  })
  if (window && found[0]?.id !== window.last) return ordered(search, limit, place, order, { value: window.at, returnedIds: window.tied })
  const rows = window ? found.slice(1) : found
  const last = rawOf(place, rows.at(-1))
  if (found.length < limit || last === undefined) return page(fresh(rows), afterValues)
  const tied = [...(window?.at === last ? window.tied : []), ...rows.filter((row) => rawOf(place, row) === last).map(({ id }) => id)]
  const offset = after + found.length
  if (offset - 1 + limit <= CEILING) {
    const reached = { offset, last: rows.at(-1)?.id as string, at: last, tied }
    return page(fresh(rows), { ...(value !== undefined && { value }), returnedIds, ...(exclusive && { exclusive }), window: reached })
  }
  // More records than fit in a page have one value: they are read in the order of their ids.
  if (last === value && !exclusive) return page(fresh(rows), { value, returnedIds: [...new Set([...returnedIds, ...tied])], tieAfterId: '0' })
  return page(fresh(rows), { value: last, returnedIds: tied })
}

function rawOf({ name, kind }: Place, row: Row | undefined): string | undefined {
  // A search goes on where its index has the row, not where a change since would have put it.
  const raw = (row?.indexed ?? row?.properties)?.[name]
  if (raw === undefined || raw === null) return undefined
  return kind === 'timestamp' || kind === 'date' ? String(momentIn(raw)) : decimal(Number(raw))
}

function page(rows: readonly Row[], next: Position | undefined): Page {
  return { rows, ...(next && { cursor: JSON.stringify(next) }) }
}

function read(cursor: string): Position {
  try {
    return Object(JSON.parse(cursor))
  } catch (error) {
    throw new DriverError('conflict', 'The cursor is not valid for this search.', { cause: error })
  }
}
