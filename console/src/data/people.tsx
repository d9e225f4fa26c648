import type { User } from 'crm-connector'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { shownText } from '../parts/visible-text.ts'
import type { Get } from '../session/post.ts'
import { useSession } from '../session/session.ts'
import { useAnswer } from './answer.ts'
import { PeopleContext, type PeopleDirectory } from './people-names.ts'

const MOST = 1000

interface PlatformUsers {
  readonly Users: readonly { readonly PlatformUserID: string; readonly Name: string }[]
}

/** Ids that are rendered together are looked up in one call. */
const BATCH_MS = 50

/** The names of users by id. The first 1,000 users are loaded at once, others when they are rendered; with a CRM also the names of its own users. */
export function People({ children }: { readonly children: ReactNode }) {
  const { crm, get, me, may, ownStore } = useSession()
  const allowed = may('get_many_users')
  const { answer, reload } = useAnswer(
    async (signal) => (allowed ? (await crm.users.getMany({ Limit: MOST, OrderBy: 'Name' }, { signal })).Records : []),
    [crm, allowed],
  )
  const [platformNames, setPlatformNames] = useState<ReadonlyMap<string, string>>(new Map())
  const [lookedUp, ask] = useBatchedLookup(async (ids) => {
    const { Records } = await crm.users.getMany({ Filters: { UserID: { in: ids } }, Limit: MOST })
    // Records of a CRM have its own ids of users who are none of the connector.
    if (!ownStore && Records.length < ids.length) setPlatformNames(await namesOnPlatform(get))
    return Records
  })
  const mayAsk = allowed && answer !== undefined

  const value = useMemo<PeopleDirectory>(() => {
    const all = new Map([...lookedUp, ...(answer ?? [])].map((user) => [user.UserID, user]))
    const found = lookedUp.length === 0 ? [...all.values()] : [...all.values()].sort((a, b) => a.Name.localeCompare(b.Name))
    const people = found.length > 0 ? found : [me as User]
    const names = new Map([...platformNames, ...people.map(({ UserID, Name }) => [UserID, Name] as const)])
    const owners = people.filter(({ PlatformUserID }) => ownStore || PlatformUserID !== null)
    const nameOf = (id: string) => {
      const name = names.get(id)
      if (name !== undefined) return shownText(name)
      if (id === 'nobody') return 'Nobody'
      if (mayAsk) ask(id)
      return `…${id.slice(-6)}`
    }
    return { people, owners, reload, nameOf }
  }, [answer, lookedUp, platformNames, mayAsk, ask, reload, me, ownStore])
  return <PeopleContext value={value}>{children}</PeopleContext>
}

/** The names of the CRM's users by their ids there; none where it does not answer, so that their ids are shown. */
async function namesOnPlatform(get: Get): Promise<ReadonlyMap<string, string>> {
  const { Users } = await get<PlatformUsers>('/v1/platform-users').catch((): PlatformUsers => ({ Users: [] }))
  return new Map(Users.map(({ PlatformUserID, Name }) => [PlatformUserID, Name]))
}

/** Looks users up by id: each id once, those of the same moment in one call. */
function useBatchedLookup(find: (ids: string[]) => Promise<readonly User[]>): readonly [found: readonly User[], ask: (id: string) => void] {
  const [found, setFound] = useState<readonly User[]>([])
  const current = useRef(find)
  current.current = find
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const ask = useMemo(() => {
    const asked = new Set<string>()
    const wanted: string[] = []
    const flush = () => {
      timer.current = undefined
      const ids = wanted.splice(0, MOST)
      if (wanted.length > 0) timer.current = setTimeout(flush, BATCH_MS)
      current.current(ids).then(
        (users) => users.length > 0 && setFound((before) => [...before, ...users]),
        // Looked up again when they are rendered next.
        () => {
          for (const id of ids) asked.delete(id)
        },
      )
    }
    return (id: string) => {
      if (asked.has(id)) return
      asked.add(id)
      wanted.push(id)
      timer.current ??= setTimeout(flush, BATCH_MS)
    }
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return [found, ask]
}
