import { isObject } from '../data/is-object.ts'
import type { Filters } from '../filters/conditions.ts'
import type { Order } from '../grid/columns.ts'
import { hrefOf, type Query } from '../routing/router.ts'

/** What a table or board shows. All of it is in the address, so that a link is a view. */
export interface View {
  readonly filters: Filters
  /** As in `OrderBy`: `Amount desc`. */
  readonly order: string | undefined
  readonly columns: readonly string[] | undefined
  /** As a board by stage or status instead of a table. */
  readonly board: boolean
  /** The id of the saved view that it began with. */
  readonly saved?: string | undefined
  /** The id of the record beside the table. */
  readonly record?: string | undefined
}

/** Undefined where the filters in the address cannot be read. */
export function viewOf(query: URLSearchParams): View | undefined {
  const where = query.get('where')
  const filters = where === null ? {} : parsed(where)
  if (filters === undefined) return undefined
  return {
    filters,
    order: query.get('order') ?? undefined,
    columns: query.get('columns')?.split(',').filter(Boolean),
    board: query.get('as') === 'board',
    saved: query.get('view') ?? undefined,
    record: query.get('record') ?? undefined,
  }
}

export function queryOf({ filters, order, columns, board, saved, record }: View): Query {
  return {
    where: Object.keys(filters).length > 0 ? JSON.stringify(filters) : undefined,
    order,
    columns: columns && columns.length > 0 ? columns.join(',') : undefined,
    as: board ? 'board' : undefined,
    view: saved,
    record: board ? undefined : record,
  }
}

/** What a saved view keeps of the address. */
export const queryText = (view: View): string => hrefOf([], queryOf({ ...view, saved: undefined, record: undefined })).split('?')[1] ?? ''

function parsed(text: string): Filters | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function orderOf(order: string | undefined): Order | undefined {
  if (order === undefined) return undefined
  const [field = '', direction] = order.trim().split(/\s+/)
  return { field, descending: direction?.toLowerCase() === 'desc' }
}

/** The opposite of an order; the newest record is first where there is none. */
export function reversed(order: string | undefined): string {
  const { field, descending } = orderOf(order) ?? { field: 'CreatedDate', descending: true }
  return `${field} ${descending ? 'asc' : 'desc'}`
}

/** Clicks on a header sort ascending, then descending, then not at all. */
export function nextOrder(order: string | undefined, field: string): string | undefined {
  const now = orderOf(order)
  if (now?.field !== field) return `${field} asc`
  return now.descending ? undefined : `${field} desc`
}
