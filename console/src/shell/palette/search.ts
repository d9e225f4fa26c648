import { useEffect, useState } from 'react'
import type { IconName } from '../../parts/icon.tsx'
import { go } from '../../routing/router.ts'
import { type Session, useSession } from '../../session/session.ts'
import type { Command } from './command.ts'

type Filters = { readonly [field: string]: unknown }

interface Searched {
  readonly operation: string
  readonly page: string
  readonly icon: IconName
  readonly id: string
  readonly fields: readonly string[]
  readonly title: (record: { readonly [field: string]: unknown }) => string
  readonly about: (record: { readonly [field: string]: unknown }) => string
  /** Records that match any of these are wanted. */
  readonly filters: (typed: string, words: readonly string[]) => readonly Filters[]
}

const textOf = (...values: readonly unknown[]) => values.filter((value) => value !== null && value !== undefined && value !== '').join(' · ')

/** What is searched, each by what a person knows it by. */
const SEARCHED: readonly Searched[] = [
  {
    operation: 'get_many_leads',
    page: 'leads',
    icon: 'leads',
    id: 'LeadID',
    fields: ['FirstName', 'LastName', 'Email', 'Status'],
    title: ({ FirstName, LastName }) => `${FirstName} ${LastName}`,
    about: ({ Email, Status }) => textOf(Email, Status),
    filters: (typed, [first = '', ...rest]) =>
      rest.length > 0
        ? [{ FirstName: { startsWith: first }, LastName: { contains: rest.join(' ') } }, { LastName: { contains: typed } }]
        : [{ LastName: { contains: typed } }, { FirstName: { contains: typed } }, { Email: { startsWith: typed } }],
  },
  {
    operation: 'get_many_opportunities',
    page: 'opportunities',
    icon: 'opportunities',
    id: 'OpportunityID',
    fields: ['OpportunityName', 'Stage'],
    title: ({ OpportunityName }) => String(OpportunityName),
    about: ({ Stage }) => textOf(Stage),
    filters: (typed) => [{ OpportunityName: { contains: typed } }],
  },
  {
    operation: 'get_many_cases',
    page: 'cases',
    icon: 'cases',
    id: 'CaseID',
    fields: ['Subject', 'Status'],
    title: ({ Subject }) => String(Subject),
    about: ({ Status }) => textOf(Status),
    filters: (typed) => [{ Subject: { contains: typed } }],
  },
]

const EACH = 4
const PAUSE_MS = 180
const SHORTEST = 2

interface Result {
  readonly Result?: { readonly Records: readonly { readonly [field: string]: unknown }[] }
}

async function search({ crm, may }: Session, typed: string, signal: AbortSignal): Promise<Command[]> {
  const words = typed.split(/\s+/)
  const asked = SEARCHED.filter(({ operation }) => may(operation)).flatMap((one) => one.filters(typed, words).map((Filters) => ({ one, Filters })))
  if (asked.length === 0) return []
  const { Results } = await crm.batch(
    { Operations: asked.map(({ one, Filters }) => ({ Operation: one.operation as 'get_many_leads', Input: { Filters, Select: one.fields, Limit: EACH } })) },
    { signal, retries: 0 },
  )
  const found = new Map<string, Command>()
  for (const [i, { one }] of asked.entries()) {
    for (const record of (Results[i] as Result).Result?.Records ?? []) {
      const path = [one.page, String(record[one.id])]
      const id = `record-${path.join('-')}`
      const ofPage = [...found.values()].filter(({ icon }) => icon === one.icon).length
      if (ofPage < EACH || found.has(id))
        found.set(id, { id, section: 'Records', title: one.title(record), about: one.about(record), icon: one.icon, act: () => go(path) })
    }
  }
  return [...found.values()]
}

/** Records that fit what is typed, a moment after the typing. What was found before stays until there is something else. */
export function useSearch(typed: string): { readonly found: readonly Command[]; readonly searching: boolean } {
  const session = useSession()
  const [found, setFound] = useState<readonly Command[]>([])
  const [searching, setSearching] = useState(false)
  const wanted = typed.trim()

  useEffect(() => {
    if (wanted.length < SHORTEST) {
      setFound([])
      setSearching(false)
      return
    }
    const gone = new AbortController()
    setSearching(true)
    const timer = setTimeout(() => {
      search(session, wanted, gone.signal).then(
        (commands) => {
          setFound(commands)
          setSearching(false)
        },
        // A search that fails leaves the commands, which need nobody.
        () => {
          if (gone.signal.aborted) return
          setFound([])
          setSearching(false)
        },
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [session, wanted])
  return { found, searching }
}
