import { useEffect, useRef } from 'react'
import type { Filters } from '../filters/conditions.ts'
import { useSession } from '../session/session.ts'
import { findRows } from './calls.ts'
import type { RecordSchema } from './record-schema.ts'

interface Shown {
  readonly schema: RecordSchema
  readonly filters: Filters
  readonly filterText: string
  /** The id of the record beside the table. */
  readonly beside: string | undefined
  readonly close: () => void
}

/** Closes the record beside the table once other filters no longer show it. One that is opened by its address stays, whatever the filters are. */
export function useClosedByFilters({ schema, filters, filterText, beside, close }: Shown): void {
  const { crm } = useSession()
  const checked = useRef(filterText)
  const current = useRef(close)
  current.current = close
  useEffect(() => {
    if (checked.current === filterText) return
    checked.current = filterText
    if (beside === undefined) return
    const controller = new AbortController()
    findRows(crm, schema, { filters: { ...filters, [schema.id]: beside }, order: undefined, limit: 1 }, { signal: controller.signal }).then(
      ({ Records }) => Records.length === 0 && current.current(),
      // The table says what is wrong with the filters.
      () => {},
    )
    return () => controller.abort()
  }, [crm, schema, filters, filterText, beside])
}
