import { useEffect, useState } from 'react'
import type { IconName } from '../../parts/icon.tsx'
import { go } from '../../routing/router.ts'
import { type Session, useSession } from '../../session/session.ts'
import type { Command } from './command.ts'

type Filters = { readonly [field: string]: unknown }

interface SearchTarget {
  readonly operation: string
  readonly page: string
  readonly icon: IconName
  readonly id: string
  readonly fields: readonly string[]
  readonly title: (record: { readonly [field: string]: unknown }) => string
  readonly about: (record: { readonly [field: string]: unknown }) => string
  /** The filters to try, ORed. */
  readonly filters: (typed: string, words: readonly string[]) => readonly Filters[]
}

const textOf = (...values: readonly unknown[]) => values.filter((value) => value !== null && value !== undefined && value !== '').join(' · ')

const TARGETS: readonly SearchTarget[] = [
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

const PER_TYPE = 4
const DEBOUNCE_MS = 180
const MIN_LENGTH = 2

interface Result {
  readonly Result?: { readonly Records: readonly { readonly [field: string]: unknown }[] }
}

async function search({ crm, may }: Session, typed: string, signal: AbortSignal): Promise<Command[]> {
  const words = typed.split(/\s+/)
  const queries = TARGETS.filter(({ operation }) => may(operation)).flatMap((target) => target.filters(typed, words).map((Filters) => ({ target, Filters })))
  if (queries.length === 0) return []
  const { Results } = await crm.batch(
    {
      Operations: queries.map(({ target, Filters }) => ({
        Operation: target.operation as 'get_many_leads',
        Input: { Filters, Select: target.fields, Limit: PER_TYPE },
      })),
    },
    { signal, retries: 0 },
  )
  const found = new Map<string, Command>()
  for (const [i, { target }] of queries.entries()) {
    for (const record of (Results[i] as Result).Result?.Records ?? []) {
      const path = [target.page, String(record[target.id])]
      const id = `record-${path.join('-')}`
      const ofPage = [...found.values()].filter(({ icon }) => icon === target.icon).length
      if (ofPage < PER_TYPE || found.has(id))
        found.set(id, { id, section: 'Records', title: target.title(record), about: target.about(record), icon: target.icon, act: () => go(path) })
    }
  }
  return [...found.values()]
}

/** Searches records, debounced. Earlier results stay until the next ones arrive. */
export function useSearch(typed: string): { readonly found: readonly Command[]; readonly searching: boolean } {
  const session = useSession()
  const [found, setFound] = useState<readonly Command[]>([])
  const [searching, setSearching] = useState(false)
  const wanted = typed.trim()

  useEffect(() => {
    if (wanted.length < MIN_LENGTH) {
      setFound([])
      setSearching(false)
      return
    }
    const controller = new AbortController()
    setSearching(true)
    const timer = setTimeout(() => {
      search(session, wanted, controller.signal).then(
        (commands) => {
          setFound(commands)
          setSearching(false)
        },
        // If the search fails, the other commands still work.
        () => {
          if (controller.signal.aborted) return
          setFound([])
          setSearching(false)
        },
      )
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [session, wanted])
  return { found, searching }
}
