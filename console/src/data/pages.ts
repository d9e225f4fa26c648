import type { CrmError } from 'crm-connector'
import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'

interface PageAnswer<T> {
  readonly Records: readonly T[]
  readonly NextCursor: string | null
}

export interface Pages<T> {
  readonly rows: readonly T[]
  readonly loading: boolean
  readonly error: CrmError | undefined
  readonly more: boolean
  readonly next: () => void
  readonly reload: () => void
}

/** Loads records page by page and appends them. */
export function usePages<T>(ask: (cursor: string | null, signal: AbortSignal) => Promise<PageAnswer<T>>, dependencies: DependencyList): Pages<T> {
  const [state, setState] = useState<{ rows: readonly T[]; cursor: string | null; error?: CrmError; loading: boolean }>({
    rows: [],
    cursor: null,
    loading: true,
  })
  const [version, setTurn] = useState(0)
  const controller = useRef(new AbortController())
  const asked = useRef(ask)
  asked.current = ask

  const load = useCallback((cursor: string | null, before: readonly T[]) => {
    const { signal } = controller.current
    setState((state) => ({ rows: state.rows, cursor: state.cursor, loading: true }))
    asked.current(cursor, signal).then(
      ({ Records, NextCursor }) => signal.aborted || setState({ rows: [...before, ...Records], cursor: NextCursor, loading: false }),
      (error: CrmError) => signal.aborted || setState((state) => ({ rows: state.rows, cursor: state.cursor, error, loading: false })),
    )
  }, [])

  // The caller lists what `ask` depends on.
  useEffect(() => {
    controller.current = new AbortController()
    load(null, [])
    return () => controller.current.abort()
  }, [...dependencies, version])

  return {
    rows: state.rows,
    loading: state.loading,
    error: state.error,
    more: state.cursor !== null,
    next: () => state.cursor !== null && !state.loading && load(state.cursor, state.rows),
    reload: useCallback(() => setTurn((n) => n + 1), []),
  }
}
