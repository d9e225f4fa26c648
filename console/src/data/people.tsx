import type { User } from 'crm-connector'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useSession } from '../session/session.ts'
import { useAnswer } from './answer.ts'

interface Known {
  /** The users the caller may see, by name. */
  readonly people: readonly User[]
  /** Those of them who may own records: on a CRM, who is somebody there. */
  readonly owners: readonly User[]
  nameOf(userId: string): string
  readonly again: () => void
}

const PeopleContext = createContext<Known>({ people: [], owners: [], nameOf: (id) => id, again: () => {} })

/** Beyond that nobody chooses from a list. */
const MOST = 1000

/** Who is who: users by their id, asked for once. */
export function People({ children }: { readonly children: ReactNode }) {
  const { crm, me, may, ours } = useSession()
  const allowed = may('get_many_users')
  const { answer, again } = useAnswer(
    async (signal) => (allowed ? (await crm.users.getMany({ Limit: MOST, OrderBy: 'Name' }, { signal })).Records : []),
    [crm, allowed],
  )

  const value = useMemo<Known>(() => {
    const people = answer && answer.length > 0 ? answer : [me as User]
    const names = new Map(people.map(({ UserID, Name }) => [UserID, Name]))
    const owners = people.filter(({ PlatformUserID }) => ours || PlatformUserID !== null)
    return { people, owners, again, nameOf: (id) => names.get(id) ?? (id === 'nobody' ? 'Nobody' : `…${id.slice(-6)}`) }
  }, [answer, again, me, ours])
  return <PeopleContext value={value}>{children}</PeopleContext>
}

export const usePeople = (): Known => useContext(PeopleContext)
