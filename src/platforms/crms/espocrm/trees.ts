import { isCondition } from '../../../contract/conditions.ts'
import type { Condition, Where } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import { familyOf } from '../engine/translation.ts'
import { type Narrowed, narrowed } from './conditions.ts'
import { all, any, type Item, lengthOf, NOTHING } from './where.ts'

/** Conditions that make an address longer than this are not asked. */
const LONGEST = 3_000

export type PlaceOf = (condition: Condition) => Place | undefined

/**
 * Combined conditions as EspoCRM takes them; undefined where it cannot tell. It refuses its own `not` from outside, so that a negation is sent as the
 * opposite comparisons, which also find what is null; one that has no opposite there is compared here. Fields of a linked record cannot be searched by.
 */
export function narrowedTree(placeOf: PlaceOf, where: Where): Narrowed | undefined {
  const made = tree(placeOf, where, false)
  return made?.items.every((one) => lengthOf(one) <= LONGEST) ? made : undefined
}

function tree(placeOf: PlaceOf, where: Where, isNegated: boolean): Narrowed | undefined {
  if (isCondition(where)) return isNegated ? opposite(placeOf, where) : comparison(placeOf, where)
  if ('not' in where) return isNegated ? every(where.not, (one) => tree(placeOf, one, false)) : some(where.not, (one) => tree(placeOf, one, true))
  if (!isNegated) return some(where.any, (list) => every(list, (one) => tree(placeOf, one, false)))
  return every(where.any, (list) => some(list, (one) => tree(placeOf, one, true)))
}

/** All of these. One that EspoCRM cannot tell is left out, so that it finds too much. */
function every<T>(list: readonly T[], of: (one: T) => Narrowed | undefined): Narrowed | undefined {
  const made = list.map(of)
  const known = made.filter((one) => one !== undefined)
  if (known.length === 0 && list.length > 0) return undefined
  const isExact = known.length === list.length && known.every(({ how }) => how === 'exactly')
  return { how: isExact ? 'exactly' : 'roughly', items: known.flatMap(({ items }) => items) }
}

/** One of these. One that EspoCRM cannot tell may be the one that holds. */
function some<T>(list: readonly T[], of: (one: T) => Narrowed | undefined): Narrowed | undefined {
  const made = list.map(of)
  const known = made.filter((one) => one !== undefined)
  if (known.length < list.length) return undefined
  if (known.length === 0) return { how: 'exactly', items: [NOTHING] }
  const how = known.every((one) => one.how === 'exactly') ? 'exactly' : 'roughly'
  // What every record fulfils, at least one of these does.
  if (known.some(({ items }) => items.length === 0)) return how === 'exactly' ? { how, items: [] } : undefined
  return { how, items: [any(...known.map(({ items }) => all(...items)))] }
}

function comparison(placeOf: PlaceOf, condition: Condition): Narrowed | undefined {
  const place = condition.through ? undefined : placeOf(condition)
  if (!place || familyOf(place) !== condition.family) return undefined
  const made = narrowed(place, condition)
  const items = made?.items.map((one) => grouped(place, one)) ?? []
  return made && items.every((one) => one !== undefined) ? { how: made.how, items } : undefined
}

const REVERSED = { gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt' } as const

/** A comparison of null with a value is false, so that its opposite finds null. */
function opposite(placeOf: PlaceOf, condition: Condition): Narrowed | undefined {
  const compare = (operator: Condition['operator'], value: Condition['value']) => comparison(placeOf, { ...condition, operator, value })
  const { operator, value } = condition
  switch (operator) {
    case 'eq':
      return compare('ne', value)
    case 'ne':
      return compare('eq', value)
    case 'in':
      return every([value].flat(), (one) => compare('ne', one))
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return some([compare(REVERSED[operator], value), compare('eq', null)], (one) => one)
    default:
      return undefined
  }
}

/** A comparison as it must be inside a group, where EspoCRM forgets those with `0`: PHP takes it for empty. */
function grouped({ kind }: Place, one: Item): Item | undefined {
  if (one.type === 'or' || one.type === 'and') {
    const inner = (one.value as readonly Item[]).map((item) => grouped({ kind, name: '' }, item))
    return inner.every((item) => item !== undefined) ? { ...one, value: inner } : undefined
  }
  if (one.value !== '0') return one
  if (/^(?:greater|less)Than/.test(one.type)) return { ...one, value: '-0' }
  if (one.type !== 'equals') return one
  return kind === 'email' || kind === 'phone' ? undefined : { ...one, type: 'in', value: ['0'] }
}
