import { type DependencyList, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { type FoundPage, type RowPages, rowPages } from './row-pages.ts'

/** The rows of the last table, to restore them when the user comes back from a record. */
let last: { readonly dependencies: DependencyList; readonly rows: object } | undefined

/** The rows of a view. While the next view loads, the rows of the last one stay. */
export function useRows<T>(
  ask: (cursor: string | null, limit: number, signal: AbortSignal) => Promise<FoundPage<T>>,
  dependencies: DependencyList,
): { readonly rows: RowPages<T>; readonly loading: boolean; readonly version: number } {
  const current = useMemo((): RowPages<T> => {
    if (last?.dependencies.length === dependencies.length && last.dependencies.every((one, nth) => Object.is(one, dependencies[nth])))
      return last.rows as RowPages<T>
    return rowPages(ask)
  }, dependencies)
  const before = useRef<RowPages<T>>(undefined)
  const version = useSyncExternalStore(
    useCallback((changed) => current.subscribe(changed), [current]),
    current.version,
  )
  useEffect(() => {
    if (current.isLoaded()) current.refresh()
    else current.show(0, 0)
    last = { dependencies, rows: current }
    return () => current.stop()
  }, [current])
  if (current.isLoaded()) before.current = current
  const loading = !current.isLoaded()
  return { rows: loading ? (before.current ?? current) : current, loading, version }
}
