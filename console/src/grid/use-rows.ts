import { type DependencyList, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Ask } from './page-chain.ts'
import { type RowPages, rowPages } from './row-pages.ts'

/** The rows of the last table, to restore them when the user comes back from a record. */
let last: { readonly path: string; readonly dependencies: DependencyList; readonly rows: object } | undefined

/** The rows of the last table, if it was the one at this path. */
export const lastRows = <T>(path: string): RowPages<T> | undefined => (last?.path === path ? (last.rows as RowPages<T>) : undefined)

/** The rows of a view. While the next view loads, the rows of the last one stay. */
export function useRows<T>(
  path: string,
  ask: Ask<T>,
  askFromEnd: Ask<T>,
  more: DependencyList,
): { readonly rows: RowPages<T>; readonly loading: boolean; readonly version: number } {
  const dependencies = [path, ...more]
  const current = useMemo((): RowPages<T> => {
    if (last?.dependencies.length === dependencies.length && last.dependencies.every((one, nth) => Object.is(one, dependencies[nth])))
      return last.rows as RowPages<T>
    return rowPages(ask, askFromEnd)
  }, dependencies)
  const before = useRef<RowPages<T>>(undefined)
  const version = useSyncExternalStore(
    useCallback((changed) => current.subscribe(changed), [current]),
    current.version,
  )
  useEffect(() => {
    if (current.isLoaded()) current.refresh()
    else current.show(0, 0)
    last = { path, dependencies, rows: current }
    return () => current.stop()
  }, [current])
  if (current.isLoaded()) before.current = current
  const loading = !current.isLoaded()
  return { rows: loading ? (before.current ?? current) : current, loading, version }
}
