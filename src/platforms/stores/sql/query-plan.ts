import { isCondition } from '../../../contract/conditions.ts'
import { Change } from '../../../contract/records/change.ts'
import type { Condition, Query } from '../../platform.ts'
import { comparesColumn, conditionSql, type Fragment, ordersById, ownersSql } from './conditions.ts'
import { lineRanges } from './line-owners.ts'
import { indexedSql, isIndexed } from './own-index.ts'
import { datedIndex, indexName, type Table } from './tables.ts'

/** The index that a search uses, and the condition that selects its range. */
export interface QueryPlan {
  /** Undefined for the primary key, which is in the order of ids. */
  readonly index: string | undefined
  /** The condition that the index serves: one of the query's, the restriction to owners, or none for a scan in order. */
  readonly condition: Condition | 'owners' | undefined
}

/** Up to so many matches are cheaper to collect and sort; beyond, it is cheaper to scan in order and skip what does not match. */
export const FEW = 1000

const INDEXABLE = new Set(['eq', 'in', 'gt', 'gte', 'lt', 'lte'])

/**
 * Chooses the index of a search, so that a page costs the same however many records there are: an index that is already in the
 * requested order, or one with few matches, or else a scan in order. `count` returns the number of matches of a condition, up to FEW; it
 * is called only when there is a choice.
 */
export function planQuery(table: Table, workspace: number, query: Query, count: (range: Fragment, index: string | undefined) => number): QueryPlan {
  const byId = ordersById(table, query)
  const orderIndex = byId || query.order.name !== undefined ? undefined : indexOf(table, query.order.field, false)
  const scan: QueryPlan = { index: orderIndex, condition: undefined }

  const plain = query.where.filter((one) => isCondition(one) && !one.through) as Condition[]
  if (plain.some((c) => c.field === table.id && (c.operator === 'eq' || c.operator === 'in'))) return { index: undefined, condition: undefined }

  const candidates: Candidate[] = [
    ...plain.flatMap((condition) => {
      const dated = condition.operator === 'eq' ? datedFor(table, condition.field, query) : undefined
      const index = usesIndex(table, condition) ? (dated ?? indexOf(table, condition.field)) : undefined
      const ordered = dated !== undefined || inOrder(condition)
      return index ? [{ index, condition, ranges: [{ index, ...conditionSql(table, condition, true) }], ordered }] : []
    }),
    ...plain.filter(isIndexed).map((condition) => ({
      index: undefined,
      condition,
      ranges: [{ index: undefined, ...indexedSql(table, workspace, condition, FEW) }],
      ordered: byId && condition.operator === 'eq',
    })),
    ...ownersCandidate(table, workspace, query, byId),
  ]

  function inOrder(condition: Condition): boolean {
    return byId ? condition.operator === 'eq' : condition.field === query.order.field
  }

  const [only] = candidates
  if (!only) return scan
  if (candidates.length === 1 && only.ordered) return only
  const counted = candidates.map((one) => ({ ...one, matches: one.ranges.reduce((sum, range) => sum + count(range, range.index), 0) }))
  const fewest = counted.reduce((best, one) => (one.matches < best.matches ? one : best))
  // Without an index for the order, matches are sorted in any case.
  const sorts = !byId && orderIndex === undefined && !query.order.indexed
  if (fewest.matches < FEW || sorts) return fewest
  return counted.find(({ ordered }) => ordered) ?? scan
}

interface Candidate extends QueryPlan {
  /** What is counted: together at least as many as the condition matches. */
  readonly ranges: readonly (Fragment & { readonly index: string | undefined })[]
  /** Whether the index is in the requested order. */
  readonly ordered: boolean
}

function ownersCandidate(table: Table, workspace: number, query: Query, byId: boolean): Candidate[] {
  const { belongs } = table.record
  const { owners } = query
  const dated = belongs !== null && owners?.length === 1 ? datedFor(table, belongs, query) : undefined
  const index = belongs === null ? undefined : (dated ?? indexOf(table, belongs))
  if (!owners || !index) return []
  if (table.record === Change) return [{ index: undefined, condition: 'owners', ranges: lineRanges(table.dialect, workspace, owners, FEW), ordered: false }]
  const ranges = ownersSql(table, workspace, owners, true).map((range) => ({ index, ...range }))
  return [{ index, condition: 'owners', ranges, ordered: dated !== undefined || (byId && owners.length === 1) }]
}

/** The index in which a mirror has the rows with one value of a field in the order of creation, where that is requested. */
function datedFor(table: Table, field: string, { order }: Query): string | undefined {
  const isDated = order.name === undefined && order.field === table.record.createdField && table.columns.some((column) => column.name === field && column.dated)
  return isDated ? datedIndex(table.name, field) : undefined
}

/** The index of a field. A sparse one does not have all records, and so gives no order. */
function indexOf(table: Table, field: string, sparse = true): string | undefined {
  return table.columns.some((column) => column.name === field && column.indexed && (sparse || !column.sparse)) ? indexName(table.name, field) : undefined
}

function usesIndex(table: Table, condition: Condition): boolean {
  const { field, name, operator, value } = condition
  if (name !== undefined || !INDEXABLE.has(operator)) return false
  if (Array.isArray(value) && (value.includes(null) || value.length === 0)) return false
  const column = table.columns.find((one) => one.name === field)
  if (column?.sparse && value === null) return false
  if (!comparesColumn(table, condition)) return false
  return operator === 'eq' || !column?.prefix
}
