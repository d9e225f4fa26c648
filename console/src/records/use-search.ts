import { useEffect, useRef, useState } from 'react'
import { apiFilters } from '../filters/api-filters.ts'
import { type Condition, filtersOf } from '../filters/conditions.ts'
import { useSession } from '../session/session.ts'
import { findEach } from './calls.ts'
import { labelsOf, type RecordSchema } from './record-schema.ts'
import { asFilters, containing, interpretationsOf, type Search, searchOf } from './search.ts'

interface Result {
  /** As it was typed. */
  readonly text: string
  /** The interpretation that is applied, and the others that match records too. */
  readonly applied: readonly Condition[]
  readonly others: readonly (readonly Condition[])[]
  /** No interpretation matches any record. */
  readonly noMatch?: boolean
}

export interface SearchState {
  readonly text: string
  /** The labels of the fields it was found in: `Last name`; undefined where nothing is searched for. */
  readonly foundIn: string | undefined
  /** Other fields that contain it, and a function that searches there instead. */
  readonly others: readonly { readonly foundIn: string; readonly apply: () => void }[]
  /** Searches one field, or the first one that contains the text. */
  readonly search: (field: string | undefined, text: string) => void
}

/** Filters are ANDed by the service, so a text is tried on one field after the other in one batch; the first that matches is applied. */
export function useSearch(
  schema: RecordSchema,
  all: readonly Condition[],
  /** The search goes on where one text is typed further. */
  onConditions: (conditions: readonly Condition[], how: { readonly goesOn: boolean }) => void,
): { readonly search: Search | undefined; readonly searchState: SearchState } {
  const { crm } = useSession()
  const [result, setResult] = useState<Result>()
  const search = searchOf(schema, all, result?.applied)
  const request = useRef(new AbortController())
  const latest = useRef({ search, onConditions })
  latest.current = { search, onConditions }
  useEffect(() => () => request.current.abort(), [])

  const apply = (next: Result, typed = true) => {
    setResult(next)
    const { conditions = [], rest = [] } = latest.current.search ?? {}
    latest.current.onConditions([...next.applied, ...rest], { goesOn: typed && conditions.length > 0 && next.applied.length > 0 })
  }
  const start = async (field: string | undefined, text: string) => {
    request.current.abort()
    const controller = new AbortController()
    request.current = controller
    if (field !== undefined || text.trim() === '') return apply({ text, applied: text.trim() === '' ? [] : [containing(field ?? '', text)], others: [] })
    const interpretations = interpretationsOf(schema, text)
    const tried = asFilters(interpretations, latest.current.search?.rest).map((one) => apiFilters(schema.fields, one))
    const pages = await findEach(crm, schema, tried, 1, controller.signal).catch(() => [])
    if (controller.signal.aborted) return
    const [applied, ...others] = interpretations.filter((_, nth) => (pages[nth]?.length ?? 0) > 0)
    apply({ text, applied: applied ?? interpretations[0] ?? [], others, noMatch: applied === undefined && pages.length > 0 })
  }

  // A result counts only while its conditions are still those of the view: the address or a removed filter may have changed them.
  const conditions = search?.conditions ?? []
  const current = result && JSON.stringify(filtersOf(result.applied)) === JSON.stringify(filtersOf(conditions)) ? result : undefined
  const labels = labelsOf(schema)
  const fieldsOf = (one: readonly Condition[]) => one.map(({ field }) => labels[field] ?? field).join(' and ')
  const searchState = {
    text: current?.text ?? search?.text ?? '',
    foundIn: conditions.length === 0 ? undefined : current?.noMatch ? 'any field' : fieldsOf(conditions),
    others: (current?.others ?? []).map((one) => ({
      foundIn: fieldsOf(one),
      apply: () => current && apply({ ...current, applied: one, others: [current.applied, ...current.others.filter((other) => other !== one)] }, false),
    })),
    search: (field: string | undefined, text: string) => void start(field, text),
  }
  return { search, searchState }
}
