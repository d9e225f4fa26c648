import type { Row } from '../cells.ts'
import type { Actors } from './actors.ts'
import { personFrom } from './people.ts'
import { randomFor } from './random.ts'

/** Who works there: by their places among the users. */
export interface Team {
  /** The ids of all users. */
  readonly userIds: readonly string[]
  readonly sellers: readonly number[]
  readonly helpers: readonly number[]
}

const between = (least: number, value: number, most: number) => Math.min(most, Math.max(least, Math.round(value)))

/** Hires a team that is large enough for so many leads: a head, teams that sell and one that helps, each with who leads it. */
export async function hire(actors: Actors, seed: number, size: number): Promise<Team> {
  const sellers = between(3, Math.sqrt(size) / 4, 30)
  const helpers = between(2, sellers / 2, 15)
  const teams = Math.ceil(sellers / 6)
  const ids: string[] = []

  async function join(count: number, Role: string, managerOf: (i: number) => string | undefined): Promise<number[]> {
    const first = ids.length
    const acts = Array.from({ length: count }, (_, i) => {
      const person = personFrom(randomFor(seed, 'user', first + i))
      const ManagerID = managerOf(i)
      const input = { Name: `${person.first} ${person.last}`, Email: `${person.address}@example.com`, Role, ...(ManagerID !== undefined && { ManagerID }) }
      return { by: undefined, operation: 'create_user', input }
    })
    for (const user of await actors.perform(acts)) {
      ids.push((user as Row).UserID as string)
      await actors.add(user)
    }
    return Array.from({ length: count }, (_, i) => first + i)
  }

  const [head = 0] = await join(1, 'manager', () => undefined)
  const leading = await join(teams + 1, 'manager', () => ids[head])
  const selling = await join(sellers, 'member', (i) => ids[leading[i % teams] ?? head])
  const helping = await join(helpers, 'member', () => ids[leading[teams] ?? head])
  return { userIds: ids, sellers: [...leading.slice(0, teams), ...selling], helpers: helping }
}
