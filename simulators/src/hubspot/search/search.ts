import { firstOf } from '../../first.ts'
import { isObject, type Json } from '../../json.ts'
import { bodyOf, type Call, type Handler, listIn, ok, textIn, textsOf } from '../call.ts'
import { badCursor, badSearch } from '../errors.ts'
import { chosen, shown, timeOf, valueIn } from '../objects/presentation.ts'
import { asOf, type Records, type StoredRecord } from '../objects/records.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { timeIn } from '../properties/values.ts'
import { filterTest, type Test } from './filters.ts'

/** The limits of a search. Results beyond the 10,000th cannot be reached. */
const MOST = { groups: 6, filtersInGroup: 6, filters: 18, limit: 200, characters: 3000, results: 10_000 } as const

export const search: Handler = (call) => {
  const { portal, request } = call
  const type = portal.type(call.param('type'))
  const body = bodyOf(call)
  const { length } = request.body
  if (length > MOST.characters) throw badSearch(`The body has ${length} characters; at most ${MOST.characters} are allowed.`)
  const limit = limitOf(body)
  const offset = offsetOf(call, body, limit)
  const test = testOf(portal, type, body)
  const compare = orderOf(portal, type, body)
  const names = chosen(portal, type, textsOf(listIn(body, 'properties') ?? []))
  const lag = portal.world.faults.amount('index-lag', request)
  const find = (): Reachable => {
    const found = matches(portal.now(), type, test, lag)
    return { total: found.length, records: compare ? firstOf(found, MOST.results, compare) : found }
  }
  const { total, records } = lag === undefined ? memoised(type, body, find) : find()
  const next = offset + limit
  const results = records.slice(offset, next).map((record) => shown(portal, type, record, names))
  return ok({ total, results, ...(next < total && { paging: { next: { after: String(next) } } }) })
}

/** The matches that the pages of a search can reach, in order. */
interface Reachable {
  readonly total: number
  readonly records: readonly StoredRecord[]
}

const latest = new WeakMap<Records, Reachable & { readonly asked: string; readonly version: number }>()

/** Pages of one search are cut from one result as long as nothing is written. Associations and hidden properties are not part of a record's version. */
function memoised({ records }: ObjectType, { filterGroups, filters, sorts, query = '' }: Json, find: () => Reachable): Reachable {
  const { version } = records
  const asked = JSON.stringify([filterGroups, filters, sorts])
  if (version === undefined || query !== '' || asked.includes('associations.')) return find()
  const known = latest.get(records)
  if (known?.asked === asked && known.version === version) return known
  const found = { ...find(), asked, version }
  latest.set(records, found)
  return found
}

/** The matches as they are, or as they were a while ago. */
function matches(now: number, type: ObjectType, test: Test, lag: number | undefined): StoredRecord[] {
  const found: StoredRecord[] = []
  for (const current of type.records.shown(now)) {
    const record = lag === undefined ? current : asOf(current, now - lag)
    if (record && record.archivedAt === undefined && test(record)) found.push(record)
  }
  return found
}

function limitOf(body: Json): number {
  const given = textIn(body, 'limit')
  if (given === undefined) return 10
  const limit = Number(given)
  if (!Number.isInteger(limit) || limit < 0 || limit > MOST.limit) throw badSearch(`The limit must be between 0 and ${MOST.limit}, but was ${given}.`)
  return limit === 0 ? 10 : limit
}

function offsetOf({ portal, request }: Call, body: Json, limit: number): number {
  const given = textIn(body, 'after')
  if (given === undefined || given === '') return 0
  if (!/^\d{1,12}$/.test(given)) throw badCursor(given)
  if (Number(given) > 0 && portal.world.faults.happens('stale-cursor', request)) throw badCursor(given)
  if (Number(given) + limit > MOST.results)
    throw badSearch(`A search answers with the first ${MOST.results} results only; after ${given} with limit ${limit} is behind them.`)
  return Number(given)
}

/** Filter groups are combined with OR, filters in a group and words of the query with AND. */
function testOf(portal: Portal, type: ObjectType, body: Json): Test {
  const groups = (listIn(body, 'filterGroups') ?? []).map((group) => {
    if (!isObject(group)) throw badSearch('A filter group must be an object.')
    return listIn(group, 'filters') ?? []
  })
  const loose = listIn(body, 'filters') ?? []
  if (loose.length > 0) groups.push(loose)
  if (groups.length > MOST.groups) throw badSearch(`There are ${groups.length} filter groups; at most ${MOST.groups} are allowed.`)
  for (const { length } of groups)
    if (length > MOST.filtersInGroup) throw badSearch(`A filter group has ${length} filters; at most ${MOST.filtersInGroup} are allowed.`)
  const count = groups.reduce((sum, { length }) => sum + length, 0)
  if (count > MOST.filters) throw badSearch(`There are ${count} filters; at most ${MOST.filters} are allowed.`)
  const tests = groups.map((filters) => filters.map((filter) => filterTest(portal, type, filter)))
  const words = wordsTest(portal, type, textIn(body, 'query') ?? '')
  return (record) => words(record) && (tests.length === 0 || tests.some((group) => group.every((test) => test(record))))
}

function wordsTest(portal: Portal, type: ObjectType, query: string): Test {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const names = type.searched.filter((name) => portal.visible(type, name))
  return ({ values }) => words.every((word) => names.some((name) => values[name]?.toLowerCase().includes(word)))
}

/** The sort order, by one property. Missing values come last; ties are in the order of creation. */
function orderOf(portal: Portal, type: ObjectType, body: Json): ((one: StoredRecord, other: StoredRecord) => number) | undefined {
  const sorts = listIn(body, 'sorts') ?? []
  if (sorts.length > 1) throw badSearch('Only one sort is allowed.')
  const [given] = sorts
  if (given === undefined) return undefined
  const { name, down } = sortOf(given)
  const property = portal.visible(type, name)
  if (!property) throw badSearch(`Property '${name}' does not exist for object type ${type.id}.`)
  const keys = new Map<StoredRecord, string | number | undefined>()
  const keyOf = (record: StoredRecord): string | number | undefined => {
    const time = timeOf(type, record, name)
    if (time !== undefined) return time
    if (keys.has(record)) return keys.get(record)
    const text = valueIn(type, record, name)
    const key =
      text === undefined ? undefined : property.type === 'number' ? Number(text) : property.type.startsWith('date') ? timeIn(text) : text.toLowerCase()
    keys.set(record, key)
    return key
  }
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    if (a === b) return 0
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1
    return a < b === down ? 1 : -1
  }
}

/** `createdate`, `-createdate`, or an object with property and direction. */
function sortOf(given: unknown): { readonly name: string; readonly down: boolean } {
  if (typeof given === 'string') return given.startsWith('-') ? { name: given.slice(1), down: true } : { name: given, down: false }
  if (!isObject(given)) throw badSearch('A sort must be the name of a property, or an object.')
  const direction = textIn(given, 'direction') ?? 'ASCENDING'
  const name = textIn(given, 'propertyName')
  if (name === undefined || !['ASCENDING', 'DESCENDING'].includes(direction))
    throw badSearch('A sort needs a propertyName, and ASCENDING or DESCENDING as its direction.')
  return { name, down: direction === 'DESCENDING' }
}
