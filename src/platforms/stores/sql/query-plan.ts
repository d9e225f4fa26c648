import type { Condition, Query } from '../../platform.ts'
import { conditionSql, type Fragment, ordersById, ownersSql } from './conditions.ts'
import { indexName, type Table } from './tables.ts'

/** What leads a search: an index and the comparison that enters it, or the order's own index. */
export interface Lead {
  /** The index, or undefined for the table itself, which is kept in the order of ids. */
  readonly index: string | undefined
  /** The condition that enters the index; undefined for whose records count, or for a scan in order. */
  readonly condition: Condition | 'owners' | undefined
}

/** So many matches are cheap to collect and sort; beyond, it is cheaper to walk the order and skip what does not match. */
export const FEW = 1000

const ENTERS_INDEX = new Set(['eq', 'in', 'gt', 'gte', 'lt', 'lte'])

/**
 * Chooses the index a search is led by, so that a page costs the same however many records there are: an index that is
 * already in the order wanted, or one with few matches, or else a walk along the order. `count` tells how many matches an
 * entry has, and is asked for only when there is a choice.
 */
export function chooseLead(table: Table, query: Query, count: (entry: Fragment, index: string) => number): Lead {
  const byId = ordersById(table, query)
  const orderIndex = byId || query.order.name !== undefined ? undefined : indexOf(table, query.order.field)
  const along: Lead = { index: orderIndex, condition: undefined }

  if (query.where.some((c) => c.field === table.id && (c.operator === 'eq' || c.operator === 'in'))) return { index: undefined, condition: undefined }

  const entries = [
    ...query.where.flatMap((condition) => {
      const index = entersIndex(table, condition) ? indexOf(table, condition.field) : undefined
      return index ? [{ index, condition: condition as Condition | 'owners', entry: conditionSql(table, condition, true), ordered: inOrder(condition) }] : []
    }),
    ...(query.owners && table.record.belongs && indexOf(table, table.record.belongs)
      ? ownersSql(table, query.owners, true).map((entry) => ({
          index: indexName(table.name, table.record.belongs as string),
          condition: 'owners' as Condition | 'owners',
          entry,
          ordered: byId && query.owners?.length === 1,
        }))
      : []),
  ]

  function inOrder(condition: Condition): boolean {
    return byId ? condition.operator === 'eq' : condition.field === query.order.field
  }

  const [only] = entries
  if (!only) return along
  if (entries.length === 1 && only.ordered) return only
  const counted = entries.map((entry) => ({ ...entry, matches: count(entry.entry, entry.index) }))
  const fewest = counted.reduce((best, entry) => (entry.matches < best.matches ? entry : best))
  // An order that no index keeps is sorted in any case.
  if (fewest.matches < FEW || query.order.name !== undefined) return fewest
  return counted.find((entry) => entry.ordered) ?? along
}

function indexOf(table: Table, field: string): string | undefined {
  return table.columns.some((column) => column.name === field && column.indexed) ? indexName(table.name, field) : undefined
}

function entersIndex(table: Table, { field, name, operator, value }: Condition): boolean {
  if (name !== undefined || !ENTERS_INDEX.has(operator)) return false
  if (Array.isArray(value) && (value.includes(null) || value.length === 0)) return false
  return operator === 'eq' || !table.columns.find((column) => column.name === field)?.prefix
}
