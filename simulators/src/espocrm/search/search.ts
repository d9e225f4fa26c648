import { firstOf } from '../../first.ts'
import { isObject } from '../../json.ts'
import type { Access } from '../access.ts'
import { badRequest, EspoError, failure, forbidden } from '../errors.ts'
import { like } from '../like.ts'
import { optionsOf } from '../records/validation.ts'
import { attributeValue, displayName, type Seen } from '../records/values.ts'
import { attributesOf, shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import type { Row, Store, Values } from '../store.ts'
import { listIn, nestedQuery, nonEmptyText as text } from './nested-query.ts'
import { orderOf, type Test } from './operators.ts'
import { whereTest } from './where.ts'

const MOST = 200

export interface SearchParams {
  readonly where: unknown
  readonly maxSize: number
  readonly offset: number
  readonly orderBy: string | undefined
  readonly order: 'ASC' | 'DESC' | undefined
  readonly select: readonly string[] | undefined
  readonly textFilter: string | undefined
  readonly primaryFilter: string | undefined
  readonly boolFilterList: readonly unknown[]
}

/** The parameters of a list: separate ones, or JSON in `searchParams`. */
export function searchParams(query: URLSearchParams): SearchParams {
  const raw = query.has('searchParams') ? jsonIn(query.get('searchParams') ?? '') : (nestedQuery(query) as Values)
  const isJson = query.has('searchParams')
  const { maxSize, offset } = raw
  if (isJson && maxSize != null && !Number.isInteger(maxSize)) throw badRequest('maxSize must be integer.')
  const size = integer(maxSize) ?? MOST
  if (size > MOST) throw forbidden(`Max size should not exceed ${MOST}. Use offset and limit.`)
  const select = raw.attributeSelect ?? raw.select
  const direction = typeof raw.order === 'string' && raw.order !== '' ? raw.order.toUpperCase() : legacy(raw.asc)
  if (direction !== undefined && direction !== 'ASC' && direction !== 'DESC') throw badRequest('order value is bad.')
  return {
    where: raw.whereGroup ?? raw.where,
    maxSize: size,
    offset: integer(offset) ?? 0,
    orderBy: text(raw.orderBy) ?? text(raw.sortBy),
    order: direction,
    select: typeof select === 'string' && select !== '' ? select.split(',') : Array.isArray(select) && select.length > 0 ? select.map(String) : undefined,
    textFilter: text(raw.q)?.trim() ?? text(raw.textFilter),
    primaryFilter: text(raw.primaryFilter),
    boolFilterList: listIn(raw.boolFilterList) ?? [],
  }
}

function jsonIn(raw: string): Values {
  try {
    const read: unknown = JSON.parse(raw)
    if (isObject(read)) return read as Values
  } catch {}
  throw badRequest('Invalid search params JSON.')
}

const legacy = (asc: unknown) => (typeof asc === 'string' && asc !== '' ? (asc === 'true' ? 'ASC' : 'DESC') : undefined)

/** Parses like PHP: the leading digits count. */
function integer(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.trunc(value)
  return typeof value === 'string' && value !== '' ? Number(/^\s*[+-]?\d+/.exec(value)?.[0] ?? 0) : undefined
}

export interface Found<T> {
  readonly total: number
  readonly rows: T[]
}

export function page<T>(rows: readonly T[], { offset, maxSize }: SearchParams, total = rows.length): Found<T> {
  // An error of the database.
  if (offset < 0 || maxSize < 0) throw failure()
  return { total, rows: rows.slice(offset, offset + maxSize) }
}

export interface ListOptions {
  /** Without a total, -1 means that there is more and -2 that there is not. */
  readonly noTotal: boolean
  /** Lists show the state at this time; undefined for the current one. */
  readonly since: number | undefined
  /** Whether the records come in the order of the list. */
  readonly inOrder?: boolean
  /** Attributes that lists through a link always select. */
  readonly linkSelect?: readonly string[]
}

/** A page of the matching records, in order. */
export function search(access: Access, scope: Scope, params: SearchParams, seen: Iterable<Seen>, { inOrder = false, noTotal }: ListOptions): Found<Seen> {
  const tests = [access.test(scope.name, 'read'), whereTest(access, scope, params.where), ...filters(access, scope, params)]
  const found: Seen[] = []
  // One more than the page shows that there are more.
  const enough = inOrder && noTotal ? params.offset + params.maxSize + 1 : Number.POSITIVE_INFINITY
  for (const row of seen) {
    if (row.deleted || !tests.every((test) => test(row))) continue
    found.push(row)
    if (found.length >= enough) break
  }
  return page(sorted(access, scope, found, params, inOrder), params, found.length)
}

const PRIMARY: { readonly [filter: string]: { readonly field: string; readonly not?: readonly string[]; readonly in?: readonly string[] } } = {
  'Lead actual': { field: 'status', not: ['Converted', 'Recycled', 'Dead'] },
  'Lead active': { field: 'status', not: ['Converted', 'Recycled', 'Dead'] },
  'Lead converted': { field: 'status', in: ['Converted'] },
  'Opportunity open': { field: 'stage', not: ['Closed Won', 'Closed Lost'] },
  'Opportunity won': { field: 'stage', in: ['Closed Won'] },
  'Opportunity lost': { field: 'stage', in: ['Closed Lost'] },
  'Case open': { field: 'status', not: ['Closed', 'Rejected', 'Duplicate'] },
  'Case closed': { field: 'status', in: ['Closed'] },
  'Campaign active': { field: 'status', in: ['Active'] },
}

function filters(access: Access, scope: Scope, { textFilter, primaryFilter, boolFilterList }: SearchParams): Test[] {
  const tests: Test[] = []
  // API users are visible to administrators only.
  if (scope.name === 'User' && !access.isAdmin) tests.push(({ values }) => values.type !== 'api')
  if (boolFilterList.includes('onlyMy')) tests.push(({ values }) => values[scope.fields.assignedUser ? 'assignedUserId' : 'createdById'] === access.user.id)
  if (primaryFilter !== undefined) {
    const filter = PRIMARY[`${scope.name} ${primaryFilter}`]
    if (!filter) throw new EspoError(500, `No primary filter '${primaryFilter}' for '${scope.name}'.`)
    tests.push(({ values }) => {
      const value = String(values[filter.field])
      return filter.in ? filter.in.includes(value) : !filter.not?.includes(value)
    })
  }
  if (textFilter !== undefined) {
    const fits = like(`${textFilter.replace(/\*/g, '%')}%`)
    const fields = scope.collection.textFilterFields ?? ['name']
    tests.push((row) => {
      const texts = fields.map((name) => (name === 'name' ? displayName(access.store, row) : row.values[name]))
      const parts = [...texts, row.values.firstName, row.values.lastName]
      return parts.some((one) => (typeof one === 'string' || typeof one === 'number') && fits(String(one)))
    })
  }
  return tests
}

/** Orders that equal the order of creation. */
const BY_CREATION = new Set(['createdAt', 'id', 'number'])

/** The records of a page and those before it. */
function sorted(access: Access, scope: Scope, rows: Seen[], params: SearchParams, inOrder: boolean): Seen[] {
  const { collection } = scope
  const { store } = access
  const orderBy = params.orderBy ?? collection.orderBy
  const direction = params.order ?? (params.orderBy === undefined ? (collection.order === 'desc' ? 'DESC' : 'ASC') : 'ASC')
  if (/[.:]/.test(orderBy)) throw forbidden("Complex expressions are forbidden in 'orderBy'.")
  const attributes = orderBy === 'id' ? [...shapeOf(scope).attributes.values()].slice(0, 1) : attributesOf(scope, orderBy)
  const attribute =
    attributes.find(({ name }) => name === orderBy) ?? shapeOf(scope).attributes.get(orderBy) ?? attributes.find(({ kind }) => kind.endsWith('Name'))
  if (!attribute) throw badRequest(`Order by non-existing field '${orderBy}'.`)
  if (access.hidden(scope, 'read').has(attribute.name)) throw forbidden(`Not access to order by field '${orderBy}'.`)
  if (inOrder) return rows
  if (BY_CREATION.has(orderBy)) return direction === 'ASC' ? rows : rows.reverse()
  const sign = direction === 'ASC' ? 1 : -1
  const enumerated = scope.fields[orderBy]?.type === 'enum'
  // In PostgreSQL null is larger than every value, in MariaDB smaller.
  const [nullLeft, nullRight] = store.database === 'MariaDB' ? [-1, 1] : [1, -1]
  const byValue = orderOf(attribute)
  const compared = (a: unknown, b: unknown) => (a === b ? 0 : a === null ? nullLeft : b === null ? nullRight : byValue(a, b))
  const { name } = attribute
  function* keyed() {
    for (const row of rows) yield { row, key: sortKey(access, scope, name, row, direction) }
  }
  const first = firstOf(keyed(), params.offset + params.maxSize, (a, b) => {
    for (let index = 0; index < a.key.length; index++) {
      const by = compared(a.key[index], b.key[index]) * (enumerated ? 1 : sign)
      if (by !== 0) return by
    }
    return (a.row.id < b.row.id ? -1 : a.row.id > b.row.id ? 1 : 0) * sign
  })
  return first.map(({ row }) => row)
}

function sortKey({ store, user }: Access, scope: Scope, name: string, row: Seen, direction: 'ASC' | 'DESC'): unknown[] {
  const field = scope.fields[name]
  if (field?.type === 'personName') return [row.values.firstName ?? null, row.values.lastName ?? null]
  const attribute = shapeOf(scope).attributes.get(name)
  const value = attribute ? attributeValue(store, row, attribute, user.id) : null
  const options = field?.type === 'enum' ? optionsOf(store, field) : undefined
  if (!options) return [value]
  // Options sort in their listed order; other values come first in both directions.
  const at = options.indexOf(String(value ?? ''))
  return [at < 0 || value === null ? 0 : direction === 'ASC' ? at + 1 : options.length - at]
}

/** The records as they are, or as they were at a time. */
export function* visible(store: Store, rows: Iterable<Row>, since: number | undefined): Iterable<Seen> {
  for (const current of rows) {
    const row = store.shown(current)
    if (!row) continue
    if (since === undefined || row.writtenAt <= since) yield row
    else {
      const before = row.past.findLast(({ writtenAt }) => writtenAt <= since)
      if (before) yield { ...row, values: before.values, deleted: before.deleted }
      else if (row.madeAt <= since && row.past.length === 0) yield row
    }
  }
}

/** The attributes of a list with a selection: those, the ones for access checks, and the ones of the order. */
export function selection(scope: Scope, { select = [], orderBy }: SearchParams, more: readonly string[] = []): ReadonlySet<string> {
  const { attributes } = shapeOf(scope)
  const chosen = ['id', 'assignedUserId', 'createdById', ...select, ...more]
  const by = orderBy ?? scope.collection.orderBy
  const sorting = attributesOf(scope, by).map(({ name }) => name)
  const names = [...chosen, ...(sorting.length > 0 ? sorting : [by])].filter((name) => attributes.has(name))
  const many = names.filter((name) => attributes.get(name)?.kind === 'manyIds').map((name) => `${attributes.get(name)?.field}Names`)
  return new Set([...names, ...many])
}
