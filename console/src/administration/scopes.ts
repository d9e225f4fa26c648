import { OPERATIONS, TIERS, type Tier } from 'crm-connector/contract'

/** For each record type, the tiers that any operation on it needs. */
export const SCOPED: readonly { readonly name: string; readonly tiers: ReadonlySet<Tier> }[] = scopedTypes()

function scopedTypes() {
  const types = new Map<string, Set<Tier>>()
  for (const { record, tier } of OPERATIONS)
    for (const name of [record.name, ...(record.childOf?.types ?? [])]) types.set(name, (types.get(name) ?? new Set<Tier>()).add(tier))
  return [...types].map(([name, tiers]) => ({ name, tiers }))
}

/** Whether these scopes include another: the tier as a whole, or for the same record type. */
export function covers(scopes: readonly string[], wanted: string): boolean {
  const [tier, only] = wanted.split(':')
  const record = OPERATIONS.find(({ id }) => id === only)?.record.name
  return scopes.some((scope) => scope === tier || scope === wanted || scope === `${tier}:${record}`)
}

/** The scope that allows one operation and no other. */
export function scopeOf(operation: string): string | undefined {
  const found = OPERATIONS.find(({ id }) => id === operation.trim())
  return found && `${found.tier}:${found.id}`
}

/** Whether a scope is for one operation. */
export const isOfOperation = (scope: string) => OPERATIONS.some(({ id }) => id === scope.split(':')[1])

/** The scopes ordered by tier, without those that a wider one includes. */
export function tidy(scopes: readonly string[]): string[] {
  const rank = (scope: string) => TIERS.indexOf(scope.split(':')[0] as Tier)
  return [...new Set(scopes)]
    .filter((scope) => !scope.includes(':') || !scopes.some((wide) => wide !== scope && covers([wide], scope)))
    .sort((a, b) => rank(a) - rank(b))
}
