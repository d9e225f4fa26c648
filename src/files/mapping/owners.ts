import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { unlessForbidden } from '../unless-forbidden.ts'

type User = Awaited<ReturnType<Crm['users']['getMany']>>['Records'][number]
type UserFilters = NonNullable<NonNullable<Parameters<Crm['users']['getMany']>[0]>['Filters']>

/** The user that a file means, or why it is none. */
export type Owner =
  | { readonly id: string }
  /** `isNear` where the error names a user with a similar name. */
  | { readonly error: string; readonly candidates: number; readonly isNear?: boolean }

/** Users among whom a name in another case, or a nearest name, is looked for. Where there are more, names are taken as they are written. */
const MOST_USERS = 10_000

/** Finds users by their id, their e-mail address or their name, in any case, each once. A caller who may not read users gives ids. */
export function ownerLookup(crm: Crm): (texts: Iterable<string>) => Promise<ReadonlyMap<string, Owner>> {
  const owners = new Map<string, Owner>()
  let everyone: Promise<User[]> | undefined
  const allUsers = () => {
    everyone ??= usersWhere(crm, {}, MOST_USERS)
    return everyone
  }
  return async (texts) => {
    const open = [...new Set(texts)].filter((text) => !owners.has(text))
    // Each text is looked for in three fields.
    for (let at = 0; at < open.length; at += LIMITS.list / 2) {
      const some = open.slice(at, at + LIMITS.list / 2)
      const users = await unlessForbidden(usersFor(crm, some))
      for (const text of some) owners.set(text, users ? (ownerIn(users, text) ?? ownerNear(await allUsers(), text)) : { id: text })
    }
    return owners
  }
}

function usersFor(crm: Crm, texts: readonly string[]): Promise<User[]> {
  const trimmed = texts.map((text) => text.trim())
  const Filters = {
    any: [{ UserID: { in: trimmed } }, { Email: { in: [...new Set([...trimmed, ...trimmed.map((text) => text.toLowerCase())])] } }, { Name: { in: trimmed } }],
  }
  return usersWhere(crm, Filters)
}

/** No more than `most`, give or take a page. */
async function usersWhere(crm: Crm, Filters: UserFilters, most = Number.POSITIVE_INFINITY): Promise<User[]> {
  const users: User[] = []
  for (let Cursor: string | null | undefined; Cursor !== null && users.length <= most; ) {
    const page = await crm.users.getMany({ Filters, Select: ['Name', 'Email'], Limit: LIMITS.page, ...(Cursor && { Cursor }) })
    users.push(...page.Records)
    Cursor = page.NextCursor
  }
  return users
}

/** Undefined where none of the users has the text as it is written. */
function ownerIn(users: readonly User[], text: string): Owner | undefined {
  const wanted = text.trim()
  const ways: ((user: User) => boolean)[] = [
    ({ UserID }) => UserID === wanted,
    ({ Email }) => Email?.toLowerCase() === wanted.toLowerCase(),
    ({ Name }) => Name === wanted,
  ]
  return oneOf(ways.map((isMatch) => users.filter(isMatch)).find(({ length }) => length > 0) ?? [], text)
}

/** The user with this name in another case, or an error with the nearest name. */
function ownerNear(users: readonly User[], text: string): Owner {
  const wanted = text.trim()
  const named = users.length > MOST_USERS ? [] : users.filter(({ Name }) => Name.toLowerCase() === wanted.toLowerCase())
  const [near] = nearest(wanted, new Set(users.map(({ Name }) => Name)))
  const advice = near === undefined ? '' : ` Did you mean ${near}?`
  return oneOf(named, text) ?? { error: `OwnerID is ${quote(text)}, and there is no such user here.${advice}`, candidates: 0, isNear: near !== undefined }
}

/** Undefined for no user, an error for several. */
function oneOf([only, ...others]: readonly User[], text: string): Owner | undefined {
  if (!only) return undefined
  if (others.length === 0) return { id: only.UserID }
  const named = [only, ...others].map(({ UserID, Email }) => (Email === null ? UserID : `${Email} (${UserID})`))
  return { error: `OwnerID is ${quote(text)}, which several users are: ${named.join(', ')}. Name one of them by id.`, candidates: named.length }
}
