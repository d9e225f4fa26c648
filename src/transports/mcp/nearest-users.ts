import { CrmError, type Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nearest } from '../../contract/names.ts'
import { getManyUsers } from '../../contract/records/user.ts'
import { quoted } from '../../contract/visible-text.ts'
import { readRows } from '../../core/remarks/reading.ts'
import type { Backend } from './backend.ts'
import type { Members } from './truncate.ts'

/** Members whose values are ids of users. */
export const PEOPLE = ['OwnerID', 'AuthorID', 'UserID']

interface Person {
  readonly UserID: string
  readonly Name: string
  readonly Email: string | null
}

/** Users that the caller may see. */
export async function usersWhere(backend: Backend, Filters: object, Limit: number): Promise<readonly Person[]> {
  const rows = await readRows(await backend.reading(), getManyUsers, { Filters, Limit: Math.min(Limit, LIMITS.page), Select: ['Name', 'Email'] })
  return rows as unknown as readonly Person[]
}

/** How many users are named to a caller who has given a name for an id. */
const NAMED = 3

/** The ids of the users whose name or e-mail address has this text, or is near it, in a sentence; empty where there are none. */
export async function usersNamed(backend: Backend, text: string): Promise<string> {
  const part = { contains: text.slice(0, LIMITS.searchText) }
  const found = await usersWhere(backend, { any: [{ Name: part }, { Email: part }] }, NAMED)
  const users = found.length > 0 ? found : await nearUsers(backend, text)
  return users.map(({ UserID, Name }) => `${quoted(Name)} is ${UserID}`).join(', ')
}

async function nearUsers(backend: Backend, text: string): Promise<readonly Person[]> {
  const users = await usersWhere(backend, {}, LIMITS.page)
  const names = nearest(text, new Set(users.map(({ Name }) => Name)), NAMED)
  return names.flatMap((name) => users.filter(({ Name }) => Name === name)).slice(0, NAMED)
}

/** A refusal of an id that no user has, with the users that are called so. */
export async function withUsersNamed(backend: Backend, input: Members, error: unknown): Promise<unknown> {
  if (!(error instanceof CrmError) || error.code !== 'not_found') return error
  const fault = error.errors?.find(({ field }) => PEOPLE.includes(lastOf(field)))
  const given = fault && valueAt(input, fault)
  const users = typeof given === 'string' ? await usersNamed(backend, given).catch(() => '') : ''
  if (users === '') return error
  return new CrmError(error.code, error.message, { errors: error.errors ?? [], hint: `${users}. Give the id.` })
}

const lastOf = (field: string) => field.slice(field.lastIndexOf('.') + 1)
const valueAt = (input: unknown, { field }: Fault) => field.split('.').reduce((value: unknown, name) => (Object(value) as Members)[name], input)
