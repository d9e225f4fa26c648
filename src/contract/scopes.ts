import type { Operation, Tier } from './operation.ts'
import type { Role } from './records/user.ts'

/** Who calls, as far as it decides what they may. */
export interface Allowed {
  readonly role: Role
  readonly scopes: readonly string[]
}

/** What is open to whoever may do anything of the kind: it shows or does no more than their other scopes allow. */
const OPEN: { readonly [operation: string]: readonly Tier[] } = {
  describe: ['read'],
  get_many_changes: ['read'],
  get_many_events: ['read'],
  undo_change: ['write', 'delete'],
  refuse_plan: ['write', 'delete'],
}

/** The record types a scope may name for an operation: its own, and those it hangs on. */
export const namesOf = ({ record }: Operation): readonly string[] => [record.name, ...(record.hangsOn?.types ?? [])]

/** Whether a role and scopes allow an operation. Everyone may ask who they are. */
export function mayCall(caller: Allowed, operation: Operation): boolean {
  if (operation.verb === 'getCurrentUser') return true
  if (operation.tier === 'admin' && caller.role !== 'admin') return false
  return caller.scopes.some((scope) => {
    const [tier, only] = split(scope)
    if (OPEN[operation.id]?.includes(tier as Tier)) return true
    return tier === operation.tier && (only === undefined || only === operation.id || namesOf(operation).includes(only))
  })
}

/** A scope's tier, and what it is for alone. */
export const split = (scope: string) => scope.split(':') as [string, string | undefined]
