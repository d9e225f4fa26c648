import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Order, Value } from '../../platform.ts'
import type { DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import { familyOf, placeOf } from '../engine/translation.ts'
import { beyond, fromValue, narrowed } from './conditions.ts'
import { isId } from './ids.ts'
import { all, NEVER, quoted } from './soql.ts'

/** The place of what is compared or sorted by; user-defined values have one in the table of their object. */
export const placeFor = (table: Table, { field, name }: { readonly field: string; readonly name?: string }) => placeOf(table, name ?? field)

/** Salesforce sorts texts by a language, which is not how the contract does. */
export function sorts(place: Place | undefined): boolean {
  const family = place && familyOf(place)
  return place !== undefined && place.sorts !== false && (place.name === 'Id' || family === 'number' || family === 'date' || family === 'timestamp')
}

/** Of the 100,000 characters of a query. */
const LONGEST_OWNERS = 60_000

/** Those whose records count. */
function ownedBy(table: Table, owners: readonly string[] | undefined): string {
  if (owners === undefined) return ''
  const place = placeOf(table, 'OwnerID')
  if (!place) return owners.includes(NOBODY) ? '' : NEVER
  return narrowed(place, { operator: 'in', value: owners }, LONGEST_OWNERS)?.soql ?? tooLong()
}

function tooLong(): never {
  throw new DriverError('unsupported', 'This would take a longer query than Salesforce reads.', { hint: 'Ask for fewer owners or values at once.' })
}

/** What an object does not have is null in each of its records. */
const holdsOfNull = ({ operator, value }: Condition) =>
  operator === 'eq' ? value === null : operator === 'ne' ? value !== null : operator === 'in' && (value as readonly Value[]).includes(null)

function conditionOf(table: Table, condition: Condition): string {
  const place = placeFor(table, condition)
  if (!place) return condition.name === undefined || holdsOfNull(condition) ? '' : NEVER
  return narrowed(place, condition)?.soql ?? ''
}

/** Which records of an object are meant, as what follows WHERE. */
export function whereOf(table: Table, { owners, where }: Pick<DriverQuery, 'owners' | 'where'>, ...more: string[]): string {
  const fixed = Object.entries(table.fixed ?? {}).map(([theirs, value]) => `${theirs} = ${typeof value === 'string' ? quoted(value) : value}`)
  const conditions = all([...fixed, ...where.map((condition) => conditionOf(table, condition)), ownedBy(table, owners), ...more])
  return conditions && ` WHERE ${conditions}`
}

/** The names of the fields wanted, with the id first. */
export function columnsOf(table: Table, fields?: readonly string[]): string {
  const places = fields ? fields.map((field) => placeOf(table, field)) : Object.values(table.fields)
  return [...new Set(['Id', ...places.flatMap((place) => (place ? [place.name] : []))])].join(', ')
}

/** The record that a page ended with. */
export interface Last {
  readonly value: Value
  readonly id: string
}

/** The query of a page that begins at the beginning, at a value, or beyond a record. */
export function selection(table: Table, asked: DriverQuery, last?: Last, ...more: string[]): string {
  const { order, from } = asked
  const place = order && placeFor(table, order)
  const start = from && place && !last ? fromValue(place, from.value, order.descending)?.soql : undefined
  const onward = last && beyond(place, last.value, last.id, order?.descending ?? false)
  const fields = asked.fields && [...asked.fields, ...(order ? [order.name ?? order.field] : [])]
  return `SELECT ${columnsOf(table, fields)} FROM ${table.object}${whereOf(table, asked, start ?? '', onward ?? '', ...more)}${orderBy(place, order)}`
}

/** Null is lowest, and records of one value are in the order of their ids. */
function orderBy(place: Place | undefined, order: Order | undefined): string {
  const [direction, nulls] = order?.descending ? ['DESC', 'LAST'] : ['ASC', 'FIRST']
  return ` ORDER BY ${place && place.name !== 'Id' ? `${place.name} ${direction} NULLS ${nulls}, ` : ''}Id ${direction}`
}

/** Ids in lists that leave room for the rest of a query. */
export function* slices<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Those of an object's records that have one of these ids. */
export function byIds(table: Table, ids: readonly string[], columns: readonly string[] = []): string {
  const literals = ids.filter(isId).map(quoted).join(', ')
  const all = [...new Set([...columnsOf(table).split(', '), ...columns])].join(', ')
  return `SELECT ${all} FROM ${table.object}${whereOf(table, { where: [] }, `Id IN (${literals})`)}`
}
