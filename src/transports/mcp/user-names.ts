import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { User } from '../../contract/records/user.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import { comparisonsIn, textsComparedIn } from '../../core/remarks/comparisons.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Backend } from './backend.ts'
import { PEOPLE, usersNamed, usersWhere } from './nearest-users.ts'
import type { Members } from './truncate.ts'

/** The answer of a read with the names of the users in it, by their ids: those that the caller may see. */
export async function withUserNames(backend: Backend, { effect, record }: Operation, answer: unknown): Promise<unknown> {
  if (effect !== 'read' || record.name === User.name || !isObject(answer) || 'UserNames' in answer) return answer
  // An answer is not worth less for the want of names.
  const UserNames = await namesOf(backend, [...new Set(peopleIn(answer))].slice(0, LIMITS.list)).catch(() => ({}))
  return Object.keys(UserNames).length > 0 ? { ...answer, UserNames } : answer
}

/** A plan, and beside it the names of the users in what it changes, for the person who is asked. */
export interface NamedPlan extends WaitingPlan {
  readonly UserNames?: { readonly [id: string]: string }
}

export async function withPlanNames(backend: Backend, plan: WaitingPlan): Promise<NamedPlan> {
  const { Difference, Differences, Creates } = plan.Preview
  const all = [Difference, ...Object.values(Object(Differences))].flatMap((difference) => Object.entries(Object(difference) as Members))
  const people = all.flatMap(([field, change]) => (PEOPLE.includes(field) ? Object.values(Object(change) as Members) : []))
  const ids = [...new Set([...people, ...peopleIn(Creates)].filter((id): id is string => typeof id === 'string'))].slice(0, LIMITS.list)
  const UserNames = ids.length > 0 ? await namesOf(backend, ids).catch(() => ({})) : {}
  return Object.keys(UserNames).length > 0 ? { ...plan, UserNames } : plan
}

/** An answer with the names of only those users who are still in it after it was cut. */
export function withNamesShown(answer: Members): Members {
  const { UserNames, ...rest } = answer
  if (!isObject(UserNames)) return answer
  const people = new Set(peopleIn(rest))
  const shown = Object.entries(UserNames).filter(([id]) => people.has(id))
  return shown.length > 0 ? { ...answer, UserNames: Object.fromEntries(shown) } : rest
}

function peopleIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(peopleIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' && PEOPLE.includes(name) ? [one] : peopleIn(one)))
}

const CACHE_MS = 60_000
const CACHED = 10_000

/** The names that a client was given last; null for users that it may not see. A client over stdio reads them once a minute, not with every answer. */
const caches = new WeakMap<Backend, Map<string, { readonly name: string | null; readonly until: number }>>()

async function namesOf(backend: Backend, ids: readonly string[]): Promise<{ readonly [id: string]: string }> {
  const cache = caches.get(backend) ?? new Map()
  caches.set(backend, cache)
  const now = Date.now()
  if (cache.size > CACHED) cache.clear()
  const unknown = ids.filter((id) => !((cache.get(id)?.until ?? 0) > now))
  if (unknown.length > 0) {
    const users = await usersWhere(backend, { UserID: { in: unknown } }, unknown.length)
    const names = new Map(users.map(({ UserID, Name }) => [UserID, Name]))
    for (const id of unknown) cache.set(id, { name: names.get(id) ?? null, until: now + CACHE_MS })
  }
  return Object.fromEntries(ids.flatMap((id) => (typeof cache.get(id)?.name === 'string' ? [[id, cache.get(id)?.name]] : [])))
}

/** The most owners of a question that are looked for by name. */
const OWNERS = 3

/** A remark on a list that is empty because it was asked for by the name of an owner. */
export async function remarkOnOwner(backend: Backend, input: Members, answer: unknown): Promise<string[]> {
  const { Records } = Object(answer) as Members
  if (!Array.isArray(Records) || Records.length > 0) return []
  const asked = [...new Set(comparisonsIn(input.Filters).flatMap(({ OwnerID }) => textsComparedIn(OwnerID)))].slice(0, OWNERS)
  const known = asked.length > 0 ? await namesOf(backend, asked) : {}
  const remarks = asked
    .filter((owner) => !Object.hasOwn(known, owner))
    .map(async (owner) => {
      const users = await usersNamed(backend, owner)
      return users === '' ? [] : [`No user that you may see has the OwnerID ${quoted(owner.slice(0, 100))}: ${users}.`]
    })
  return (await Promise.all(remarks)).flat()
}
