import { useEffect, useRef, useState } from 'react'
import { type Condition, filtersOf } from '../filters/conditions.ts'
import { useSession } from '../session/session.ts'
import { findEach } from './calls.ts'
import { type Kind, labelsOf } from './kind.ts'
import { asFilters, containing, meaningsOf, type Search } from './search.ts'

interface Found {
  /** As it was typed. */
  readonly text: string
  /** The conditions it was taken to mean, and the other readings that find something too. */
  readonly meant: readonly Condition[]
  readonly others: readonly (readonly Condition[])[]
  /** No reading of it finds anything. */
  readonly nowhere?: boolean
}

export interface Searching {
  readonly text: string
  /** In which fields it was found: `Last name`; undefined where nothing is searched for. */
  readonly where: string | undefined
  /** Where else, and how to see that. */
  readonly others: readonly { readonly where: string; readonly see: () => void }[]
  /** Looks for a text in one field, or in whichever has it. */
  readonly look: (field: string | undefined, text: string) => void
}

/** The filters of the service hold all at once, so that a text is looked for in one place after the other, and the first that has it counts. */
export function useSearching(
  kind: Kind,
  search: Search | undefined,
  onConditions: (conditions: readonly Condition[], how: { readonly typed: boolean }) => void,
): Searching {
  const { crm } = useSession()
  const [found, setFound] = useState<Found>()
  const asked = useRef(new AbortController())
  const current = useRef({ search, onConditions })
  current.current = { search, onConditions }
  useEffect(() => () => asked.current.abort(), [])

  const apply = (next: Found, how = { typed: true }) => {
    setFound(next)
    current.current.onConditions([...next.meant, ...(current.current.search?.rest ?? [])], how)
  }
  const look = async (field: string | undefined, text: string) => {
    asked.current.abort()
    const gone = new AbortController()
    asked.current = gone
    if (field !== undefined || text.trim() === '') return apply({ text, meant: text.trim() === '' ? [] : [containing(field ?? '', text)], others: [] })
    const meanings = meaningsOf(kind, text)
    const pages = await findEach(crm, kind, asFilters(meanings, current.current.search?.rest), 1, gone.signal).catch(() => [])
    if (gone.signal.aborted) return
    const [meant, ...others] = meanings.filter((_, nth) => (pages[nth]?.length ?? 0) > 0)
    apply({ text, meant: meant ?? meanings[0] ?? [], others, nowhere: meant === undefined && pages.length > 0 })
  }

  // Who comes by an address, or takes a filter away, has asked for something else.
  const conditions = search?.conditions ?? []
  const own = found && JSON.stringify(filtersOf(found.meant)) === JSON.stringify(filtersOf(conditions)) ? found : undefined
  const labels = labelsOf(kind)
  const whereOf = (one: readonly Condition[]) => one.map(({ field }) => labels[field] ?? field).join(' and ')
  return {
    text: own?.text ?? search?.text ?? '',
    where: conditions.length === 0 ? undefined : own?.nowhere ? 'any field' : whereOf(conditions),
    others: (own?.others ?? []).map((one) => ({
      where: whereOf(one),
      see: () => own && apply({ ...own, meant: one, others: [own.meant, ...own.others.filter((other) => other !== one)] }, { typed: false }),
    })),
    look: (field, text) => void look(field, text),
  }
}
