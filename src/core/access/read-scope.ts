import type { Fault } from '../../contract/errors.ts'
import { fold, nearest } from '../../contract/names.ts'
import { TIERS, type Tier } from '../../contract/operation.ts'
import { OPERATIONS, quote, RECORD_TYPES } from '../../contract/operations.ts'
import { namesOf } from '../../contract/scopes.ts'

const NAMED: ReadonlyMap<string, string> = new Map([
  ...RECORD_TYPES.map(({ name }) => [name.toLowerCase(), name] as const),
  ...OPERATIONS.map(({ id }) => [id, id] as const),
])

const isTier = (text: string) => TIERS.includes(text as Tier)
const nameOf = (text: string) => NAMED.get(text.trim().toLowerCase()) ?? NAMED.get(fold(text))

/** A scope in its canonical spelling, or its fault. */
export function readScope(text: string, at: string): string | Fault {
  const [tier = '', only, ...rest] = text.trim().split(':')
  if (!isTier(tier) || rest.length > 0) {
    const near = nearScope(tier, only)
    return {
      field: at,
      code: 'value',
      message: `${quote(text)} is not a scope.`,
      expected: `${TIERS.join(', ')}, each alone or followed by : and a record type or operation`,
      ...(near && { didYouMean: near }),
    }
  }
  if (only === undefined) return tier
  const name = nameOf(only)
  if (name === undefined) {
    const near = nearScope(tier, only)
    return {
      field: at,
      code: 'value',
      message: `${quote(only)} is neither a record type nor an operation.`,
      expected: 'a record type such as Lead, or an operation id',
      ...(near && { didYouMean: near }),
    }
  }
  const operation = OPERATIONS.find(({ id }) => id === name)
  if (operation && operation.tier !== tier) {
    return {
      field: at,
      code: 'value',
      message: `${operation.id} belongs to ${operation.tier}, not ${tier}.`,
      expected: `${operation.tier}:${name}`,
      didYouMean: `${operation.tier}:${name}`,
    }
  }
  if (!OPERATIONS.some((one) => one.tier === tier && (one.id === name || namesOf(one).includes(name)))) {
    return {
      field: at,
      code: 'value',
      message: `${tier}:${name} allows nothing: no operation on ${name} needs ${tier}.`,
      expected: 'a tier that the record type has operations for',
    }
  }
  return `${tier}:${name}`
}

/** The scope that was probably meant; other services write them the other way round, as in leads:read. */
function nearScope(first: string, second: string | undefined): string | undefined {
  if (second === undefined) return nearest(first, TIERS)[0]
  const [tier, only] = isTier(second.trim()) ? [second.trim(), first] : [first, second]
  const [nearTier] = isTier(tier) ? [tier] : nearest(tier, TIERS)
  const nearName = nameOf(only) ?? nearest(only, NAMED.values())[0]
  if (nearTier === undefined || nearName === undefined) return undefined
  const near = readScope(`${nearTier}:${nearName}`, '')
  return typeof near === 'string' ? near : near.didYouMean
}
