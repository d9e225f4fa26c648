import { isCondition } from '../../../contract/conditions.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Value, Where } from '../../platform.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import { familyOf, placeOf } from '../engine/translation.ts'
import type { SalesforcePlace } from './codec.ts'
import { type Narrowed, narrowed } from './conditions.ts'
import { placeFor } from './selection.ts'
import { NEVER } from './soql.ts'

/** Conditions that are combined may not be longer than this, of the 100,000 characters of a query. */
const LONGEST = 30_000

/**
 * Combined conditions in SOQL; undefined where Salesforce cannot tell. There is no NOT in it: what it makes of fields without a value is documented for single
 * comparisons only, so every negation is carried to these.
 */
export function combined(tables: Tables, table: Table, where: Where): Narrowed | undefined {
  const found = inSoql(tables, table, where, false)
  return found && found.soql.length <= LONGEST ? found : undefined
}

function inSoql(tables: Tables, table: Table, where: Where, isNegated: boolean): Narrowed | undefined {
  if (isCondition(where)) return comparison(tables, table, where, isNegated)
  const each = (list: readonly Where[], negated: boolean) => list.map((one) => inSoql(tables, table, one, negated))
  const whole = (list: readonly Where[], negated: boolean) => (negated ? either(each(list, true)) : both(each(list, false)))
  if ('not' in where) return whole(where.not, !isNegated)
  const lists = where.any.map((list) => whole(list, isNegated))
  return isNegated ? both(lists) : either(lists)
}

/** All of them hold. What Salesforce cannot tell is left to others. */
function both(parts: readonly (Narrowed | undefined)[]): Narrowed | undefined {
  const known = parts.filter((part) => part !== undefined)
  if (known.length === 0 && parts.length > 0) return undefined
  const texts = known.map(({ soql }) => soql).filter((soql) => soql !== '')
  const how = known.length === parts.length && known.every((part) => part.how === 'exactly') ? 'exactly' : 'roughly'
  return { how, soql: texts.length > 1 ? `(${texts.join(' AND ')})` : (texts[0] ?? '') }
}

/** One of them holds; nothing can be left out where Salesforce cannot tell one of them. */
function either(parts: readonly (Narrowed | undefined)[]): Narrowed | undefined {
  const known = parts.filter((part) => part !== undefined)
  if (known.length < parts.length) return undefined
  const how = known.every((part) => part.how === 'exactly') ? 'exactly' : 'roughly'
  if (known.some(({ soql }) => soql === '')) return { how, soql: '' }
  const texts = known.map(({ soql }) => soql)
  return { how, soql: texts.length > 1 ? `(${texts.join(' OR ')})` : (texts[0] ?? NEVER) }
}

function comparison(tables: Tables, table: Table, condition: Condition, isNegated: boolean): Narrowed | undefined {
  const place = condition.through ? behind(tables, table, condition, isNegated) : placeFor(table, condition)
  // A user-defined value that an object has no field for is null.
  if (!place && condition.name !== undefined) return { how: 'exactly', soql: holdsOfNull(condition) === isNegated ? NEVER : '' }
  if (!place) return undefined
  return isNegated ? negated(place, condition) : narrowed(place, condition)
}

const holdsOfNull = ({ operator, value }: Condition) =>
  operator === 'eq' ? value === null : operator === 'ne' ? value !== null : operator === 'in' && (value as readonly Value[]).includes(null)

const OPPOSITE = { gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt' } as const

/** Everything that a comparison does not find, records without a value included. */
function negated(place: Place, condition: Condition): Narrowed | undefined {
  const { operator, value } = condition
  switch (operator) {
    case 'eq':
      return narrowed(place, { operator: 'ne', value })
    case 'ne':
      return narrowed(place, { operator: 'eq', value })
    case 'in':
      return both((value as readonly Value[]).map((one) => narrowed(place, { operator: 'ne', value: one })))
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return either([narrowed(place, { operator: OPPOSITE[operator], value }), narrowed(place, { operator: 'eq', value: null })])
    default:
      // Salesforce finds more texts than the contract, and of all others it would therefore find too few.
      return undefined
  }
}

/** The place of a field of the record behind a reference, which has null in every field where it is not there: so it is in Salesforce. */
function behind(tables: Tables, table: Table, { through, field, operator, value }: Condition, isNegated: boolean): Place | undefined {
  const reference: SalesforcePlace | undefined = through && placeOf(table, through.field)
  const target = through && tables[through.type]
  const place = target && placeOf(target, field)
  // Records that differ in a fixed value are not there for us.
  if (reference?.relationship === undefined || !place || target?.fixed || place.name.includes('.')) return undefined
  // A checkbox has no null of its own, and a record without an owner is another thing than no record.
  if (familyOf(place) === 'boolean' && (isNegated || operator !== 'eq' || value !== true)) return undefined
  if ([value].flat().includes(NOBODY)) return undefined
  return { ...place, name: `${reference.relationship}.${place.name}` }
}
