import type { Value } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import { familyOf } from '../engine/translation.ts'
import { codec } from './codec.ts'
import { NEVER_NULL } from './tables.ts'
import { all, any, groupedNumeral, type Item, isNotNull, isNull, item, numeral } from './where.ts'

/** A stretch of a search that EspoCRM sorts as we do. Where null stands is its database's affair, so records without a value are a stretch of their own. */
interface Stretch {
  readonly orderBy: string
  readonly descending: boolean
  readonly where: readonly Item[]
}

/** Where a search goes on: in which stretch, and behind which record. */
export interface Mark {
  readonly stretch: number
  readonly after?: { readonly value: string; readonly id: string }
}

interface Sorted {
  /** Undefined where none of the records has a value. */
  readonly place: Place | undefined
  readonly descending: boolean
}

/** The stretches of a search; one alone where any order will do. */
export function stretchesOf(order: Sorted | undefined): Stretch[] {
  const byId: Stretch = { orderBy: 'id', descending: false, where: [] }
  if (!order?.place) return [byId]
  const { name } = order.place
  const some: Stretch = { orderBy: name, descending: order.descending, where: [isNotNull(name)] }
  if (NEVER_NULL.has(name)) return [{ ...some, where: [] }]
  const none = { ...byId, where: [isNull(name)] }
  return order.descending ? [some, none] : [none, some]
}

/** Where a search begins, and what it leaves out; undefined where nothing is left of it. */
export function beginning(
  order: Sorted | undefined,
  from: { readonly value: Value } | undefined,
): { readonly mark: Mark; readonly where: readonly Item[] } | undefined {
  const start = { mark: { stretch: 0 }, where: [] }
  if (!order || !from) return start
  const { place, descending } = order
  const isNone = from.value === null
  if (!place) return isNone || descending ? start : undefined
  if (isNone && descending) return NEVER_NULL.has(place.name) ? undefined : { mark: { stretch: 1 }, where: [] }
  if (isNone) return start
  const stretch = descending || NEVER_NULL.has(place.name) ? 0 : 1
  return { mark: { stretch }, where: [item(descending ? 'lessThanOrEquals' : 'greaterThanOrEquals', place.name, written(place, from.value))] }
}

function written(place: Place, value: Value): string {
  return familyOf(place) === 'number' ? numeral(value as number) : String(codec.write(place, value))
}

/** What lies behind a record. Records of one value follow each other by their ids, in the same direction. */
export function behind({ orderBy, descending }: Stretch, after: Mark['after']): Item[] {
  if (!after) return []
  const type = descending ? 'lessThan' : 'greaterThan'
  const next = item(type, 'id', after.id)
  return orderBy === 'id' ? [next] : [any(item(type, orderBy, after.value), all(item('equals', orderBy, after.value), next))]
}

/** The mark behind a row. */
export function markOf(stretch: number, { orderBy }: Stretch, row: { readonly [attribute: string]: unknown }): Mark {
  const raw = row[orderBy]
  return { stretch, after: { value: typeof raw === 'number' ? groupedNumeral(raw) : String(raw ?? ''), id: String(row.id) } }
}
