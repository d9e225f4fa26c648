import type { Order, Value } from '../../platform.ts'
import type { DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import { decimal, momentIn } from './codec.ts'
import { combined, type Filter, type Ways } from './filters.ts'
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
  /** The last record, its value, and all those of that value that were given. */
  readonly last: string
  readonly at: string
  readonly tied: readonly string[]
}

/**
 * Where a search goes on. HubSpot's own cursor counts results: it ends at 10,000 of them, and what comes or goes meanwhile shifts it. So each
 * page begins with the last record of the one before; where that is another by now, and at the end, the search begins anew at the last value.
 */
type Position =
  /** Behind the page of the list that this follows. */
  | { readonly after: string }
  /** Behind this id, among those that have no value where `absent`. */
  | { readonly id: string; readonly absent?: true }
  /** From this value on, without those that were given. `beyond` excludes the value itself; `tie` goes through it alone, behind this id. */
  | { readonly value?: string; readonly given?: readonly string[]; readonly beyond?: true; readonly tie?: string; readonly window?: Window }

interface Walk {
  readonly objects: Objects
  /** The property of each field that is asked about. */
  readonly place: (named: { readonly field: string; readonly name?: string }) => Place | undefined
  readonly properties: readonly string[]
  /** What narrows the search, what matters most at first. */
  readonly may: readonly Ways[]
}

/** A page of records, by the list where nothing narrows or sorts it, and by a search otherwise. */
export async function pageOf(walk: Walk, { order, from, size, cursor }: DriverQuery, narrowed: boolean): Promise<Page> {
  const limit = Math.min(PAGE, Math.max(size, FEWEST))
  const at = cursor === undefined ? undefined : read(cursor)
  if (!order) {
    if (!narrowed) return listed(walk, Math.min(limit, TOGETHER), at && 'after' in at ? at.after : undefined)
    const { rows, next } = await byId(walk, limit, at && 'id' in at ? at.id : '0', [])
    return page(rows, next === undefined ? undefined : { id: next })
  }
  const place = walk.place(order)
  if (!place) throw new DriverError('internal', `There is nothing to sort by ${order.field}.`)
  return ordered(walk, limit, place, order, at ?? beginning(place, order, from))
}

async function listed({ objects, properties }: Walk, limit: number, after: string | undefined): Promise<Page> {
  const { rows, after: next } = await objects.list(properties, limit, after)
  return page(rows, next === undefined || next === after ? undefined : { after: next })
}

/** Those behind an id, and the last of them where there may be more. */
async function byId({ objects, properties, may }: Walk, limit: number, id: string, filters: readonly Filter[]) {
  const ways = combined([[[...filters, { propertyName: ID, operator: 'GT', value: id }]]], may)
  const { rows } = await objects.search({ ways, sort: ID, properties, limit })
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

async function ordered(walk: Walk, limit: number, place: Place, order: Order, at: Position): Promise<Page> {
  const { descending } = order
  const hasAbsent = !ALWAYS.has(place.name)
  if ('id' in at) {
    const { rows, next } = await byId(walk, limit, at.id, [{ propertyName: place.name, operator: 'NOT_HAS_PROPERTY' }])
    return page(rows, next !== undefined ? { id: next, absent: true } : descending ? undefined : {})
  }
  const { value, given = [], beyond, tie, window } = at as Exclude<Position, { id: string } | { after: string }>
  const afterValues: Position | undefined = descending && hasAbsent ? { id: '0', absent: true } : undefined
  const fresh = (rows: readonly Row[]) => rows.filter(({ id }) => !given.includes(id))

  if (tie !== undefined && value !== undefined) {
    const { rows, next } = await byId(walk, limit, tie, [{ propertyName: place.name, operator: 'EQ', value }])
    return page(fresh(rows), next === undefined ? { value, beyond: true } : { value, given, tie: next })
  }

  const operator = beyond ? (descending ? 'LT' : 'GT') : descending ? 'LTE' : 'GTE'
  const filter: Filter = { propertyName: place.name, ...(value === undefined ? { operator: 'HAS_PROPERTY' } : { operator, value }) }
  // What every record has needs not be asked for.
  const ways = combined([[value === undefined && !hasAbsent ? [] : [filter]]], walk.may)
  const after = window ? window.offset - 1 : 0
  const { rows: found } = await walk.objects.search({ ways, sort: `${descending ? '-' : ''}${place.name}`, properties: walk.properties, limit, after })
  if (window && found[0]?.id !== window.last) return ordered(walk, limit, place, order, { value: window.at, given: window.tied })
  const rows = window ? found.slice(1) : found
  const last = rawOf(place, rows.at(-1))
  if (found.length < limit || last === undefined) return page(fresh(rows), afterValues)
  const tied = [...(window?.at === last ? window.tied : []), ...rows.filter((row) => rawOf(place, row) === last).map(({ id }) => id)]
  const offset = after + found.length
  if (offset - 1 + limit <= CEILING) {
    const reached = { offset, last: rows.at(-1)?.id as string, at: last, tied }
    return page(fresh(rows), { ...(value !== undefined && { value }), given, ...(beyond && { beyond }), window: reached })
  }
  // More records than fit in a page have one value: they are gone through by their ids.
  if (last === value && !beyond) return page(fresh(rows), { value, given: [...new Set([...given, ...tied])], tie: '0' })
  return page(fresh(rows), { value: last, given: tied })
}

function rawOf({ name, kind }: Place, row: Row | undefined): string | undefined {
  const raw = row?.properties[name]
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
    throw new DriverError('conflict', 'This is not where a search goes on.', { cause: error })
  }
}
