import type { CrmError } from 'crm-connector'
import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'

interface PageAnswer<T> {
  readonly Records: readonly T[]
  readonly NextCursor: string | null
}

export interface Pages<T> {
  readonly rows: readonly T[]
  readonly asking: boolean
  readonly error: CrmError | undefined
  /** Whether there are more. */
  readonly more: boolean
  readonly next: () => void
  readonly again: () => void
}

/** Records page by page, one below the other, for lists that a person reads. */
export function usePages<T>(ask: (cursor: string | null, signal: AbortSignal) => Promise<PageAnswer<T>>, dependencies: DependencyList): Pages<T> {
  const [state, setState] = useState<{ rows: readonly T[]; cursor: string | null; error?: CrmError; asking: boolean }>({ rows: [], cursor: null, asking: true })
  const [turn, setTurn] = useState(0)
  const gone = useRef(new AbortController())
  const asked = useRef(ask)
  asked.current = ask

  const load = useCallback((cursor: string | null, before: readonly T[]) => {
    const { signal } = gone.current
    setState((state) => ({ rows: state.rows, cursor: state.cursor, asking: true }))
    asked.current(cursor, signal).then(
      ({ Records, NextCursor }) => signal.aborted || setState({ rows: [...before, ...Records], cursor: NextCursor, asking: false }),
      (error: CrmError) => signal.aborted || setState((state) => ({ rows: state.rows, cursor: state.cursor, error, asking: false })),
    )
  }, [])

  // Whoever asks says what the question depends on.
  useEffect(() => {
    gone.current = new AbortController()
    load(null, [])
    return () => gone.current.abort()
  }, [...dependencies, turn])

  return {
    rows: state.rows,
    asking: state.asking,
    error: state.error,
    more: state.cursor !== null,
    next: () => state.cursor !== null && !state.asking && load(state.cursor, state.rows),
    again: useCallback(() => setTurn((n) => n + 1), []),
  }
}
