import { useCallback, useEffect, useMemo } from 'react'
import { apiFilters } from '../filters/api-filters.ts'
import { type Condition, conditionsOf, type Filters, filtersOf } from '../filters/conditions.ts'
import { go, useRoute } from '../routing/router.ts'
import type { DescribedField } from '../session/session.ts'
import type { RecordSchema } from './record-schema.ts'
import type { Search } from './search.ts'
import { useSuggested } from './suggested.ts'
import { type SearchState, useSearch } from './use-search.ts'
import { queryOf, type View } from './view.ts'

/** What a table and a board make of the address. */
export interface RecordsView {
  readonly schema: RecordSchema
  readonly view: View
  /** Those of the view, as calls take them; the same object while they stay the same. */
  readonly filters: Filters
  readonly filterText: string
  readonly conditions: readonly Condition[]
  readonly filtered: boolean
  /** The fields to filter by, with the values that are in use. */
  readonly fields: readonly DescribedField[]
  readonly search: Search | undefined
  readonly searchState: SearchState
  readonly show: (next: View, how?: { readonly replace: boolean }) => void
}

export function useRecordsView(schema: RecordSchema, view: View): RecordsView {
  const filterText = JSON.stringify(view.filters)
  // The days of a view are resolved once, so that all its pages have the same filters.
  const filters = useMemo(() => apiFilters(schema.fields, JSON.parse(filterText)), [schema, filterText])
  const show = useCallback((next: View, how?: { readonly replace: boolean }) => go(schema.path, queryOf(next), how), [schema])
  const conditions = conditionsOf(view.filters)
  const fields = useSuggested(schema, schema.fields)
  const { query } = useRoute()
  const text = query.get('search')
  // Back leaves a search as a whole, and does not lead to the text in an address that began it. What is beside the table is left first.
  const { search, searchState } = useSearch(schema, conditions, (next, { goesOn }) =>
    show({ ...view, filters: filtersOf(next) }, { replace: goesOn || text !== null || view.record !== undefined }),
  )
  // A text in the address is looked for as if it were typed, once.
  useEffect(() => {
    if (text !== null) searchState.search(undefined, text)
  }, [text])
  return { schema, view, filters, filterText, conditions, filtered: conditions.length > 0, fields, search, searchState, show }
}
