import type { UserNames } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'
import { item } from './where.ts'

/** The most that EspoCRM lists at once, and how many pages of users are read. */
const PAGE = 200
const MOST_PAGES = 10

/** The id of an active user; undefined where there is none. Where the role of the API user does not show the user, the id is taken as it is. */
export async function findUser(api: Api, id: string): Promise<string | undefined> {
  // EspoCRM takes a zero for no id at all.
  if (!/^[\w-]+$/.test(id) || id === '0') return undefined
  try {
    const { isActive } = await api.read('User', id)
    return isActive === false ? undefined : id
  } catch (error) {
    if (error instanceof DriverError && error.code === 'not_found') return undefined
    if (error instanceof DriverError && error.code === 'forbidden') return id
    throw error
  }
}

/** The names of the users that the role of the API user shows. */
export async function userNames(api: Api): Promise<UserNames> {
  const names = new Map<string, string>()
  let last: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { list } = await api.list('User', {
      select: ['name'],
      orderBy: 'id',
      size: PAGE,
      ...(last !== undefined && { where: [item('greaterThan', 'id', last)] }),
    })
    for (const { id, name } of list) names.set(String(id), String(name))
    last = String(list.at(-1)?.id)
    if (list.length < PAGE) break
  }
  return names
}
