import { Refusal } from '../errors.ts'
import { isLong } from '../objects/fields.ts'
import type { Org } from '../org.ts'
import type { Session } from '../records/records.ts'
import { shown } from '../records/shapes.ts'
import { findGroups, isGrouped } from './groups.ts'
import { parse } from './parser.ts'
import { findRows, scopeOf, shapeOf } from './rows.ts'
import type { Scope } from './scope.ts'

/** The result of a query. Records are converted to JSON page by page. */
export interface Found {
  readonly totalSize: number
  readonly length: number
  /** The largest page size. */
  readonly page: number
  show(from: number, to: number): unknown[]
}

const PAGE = 2000
/** Pages are smaller where long texts are selected. */
const LONG_PAGE = 1000
const MOST_OFFSET = 2000

export function run(org: Org, session: Session, soql: string, { deleted = false, tooling = false } = {}): Found {
  const query = parse(soql)
  const scope = scopeOf(org, query, tooling)
  if (query.offset !== undefined && query.offset > MOST_OFFSET) {
    throw new Refusal(400, 'NUMBER_OUTSIDE_VALID_RANGE', 'Maximum SOQL offset allowed is 2000')
  }
  if (isGrouped(scope)) {
    const groups = findGroups(scope, deleted)
    return { totalSize: groups.length, length: groups.length, page: PAGE, show: (from, to) => groups.slice(from, to) }
  }
  if (query.having) throw new Refusal(400, 'MALFORMED_QUERY', 'HAVING clause is only allowed together with GROUP BY')
  const rows = limited(scope, findRows(scope, deleted))
  if (query.counts) return { totalSize: rows.length, length: 0, page: PAGE, show: () => [] }
  const shape = shapeOf(scope, session)
  return {
    totalSize: rows.length,
    length: rows.length,
    page: isAnyLong(scope) ? LONG_PAGE : PAGE,
    show: (from, to) => rows.slice(from, to).map((row) => shown(org, session, scope.object, row, shape)),
  }
}

/** With an OFFSET, even of 0, at most 2,000 records are found. */
function limited<T>({ query }: Scope, rows: T[]): T[] {
  const most = query.offset === undefined ? rows.length : MOST_OFFSET
  const limit = Math.min(query.limit ?? most, most)
  return query.offset === undefined && limit >= rows.length ? rows : rows.slice(query.offset ?? 0, (query.offset ?? 0) + limit)
}

function isAnyLong({ query, object, org }: Scope): boolean {
  return query.items.some((item) =>
    item.kind === 'expression' && item.expression.kind === 'field'
      ? item.expression.path.length === 1 && isLong(org.schema.field(object, item.expression.path[0] ?? '') ?? { type: 'id', length: 0 })
      : item.kind === 'all',
  )
}
