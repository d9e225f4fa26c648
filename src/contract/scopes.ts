import type { Operation, Tier } from './operation.ts'
import type { Role } from './records/user.ts'

/** What decides which operations a caller may use. */
export interface Allowed {
  readonly role: Role
  readonly scopes: readonly string[]
}

/** Operations that any scope of these tiers allows: they show and change no more than the caller's other scopes allow. */
const OPEN: { readonly [operation: string]: readonly Tier[] } = {
  describe: ['read'],
  search: ['read'],
  get_many_changes: ['read'],
  get_many_events: ['read'],
  undo_change: ['write', 'delete'],
  refuse_plan: ['write', 'delete'],
}

/** The record types a scope may name for an operation: its own, and those of its parents. */
export const namesOf = ({ record }: Operation): readonly string[] => [record.name, ...(record.childOf?.types ?? [])]

/** Whether a role and scopes allow an operation. Every caller may use get_current_user. */
export function mayCall(caller: Allowed, operation: Operation): boolean {
  if (operation.verb === 'getCurrentUser') return true
  if (isForAdmins(operation.tier) && caller.role !== 'admin') return false
  return caller.scopes.some((scope) => {
    const [tier, only] = split(scope)
    if (OPEN[operation.id]?.includes(tier as Tier)) return true
    return tier === operation.tier && (only === undefined || only === operation.id || namesOf(operation).includes(only))
  })
}

/** Whether only admins may have a scope of this tier. */
export const isForAdmins = (tier: string | undefined): boolean => tier === 'admin' || tier === 'operator'

/** A scope's tier, and the record type or operation that it is limited to. */
export const split = (scope: string) => scope.split(':') as [string, string | undefined]
