import type { CrmError } from 'crm-connector'
import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'
import { useRetry } from './retry.ts'

export interface Answer<T> {
  /** The last answer. It stays during a reload, so that nothing jumps. */
  readonly answer: T | undefined
  readonly error: CrmError | undefined
  readonly loading: boolean
  readonly reload: () => void
}

/** Loads an answer, reloads when a dependency changes, and retries while the service is unavailable. The signal aborts an outdated request. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, dependencies: DependencyList): Answer<T> {
  const [state, setState] = useState<{ answer?: T; error?: CrmError; loading: boolean }>({ loading: true })
  const [version, setTurn] = useState(0)
  const quietly = useRef(false)

  // The caller lists what `ask` depends on.
  useEffect(() => {
    const controller = new AbortController()
    const quiet = quietly.current
    quietly.current = false
    setState(({ answer, error }) => ({ ...(answer !== undefined && { answer }), ...(quiet && error && { error }), loading: true }))
    ask(controller.signal).then(
      (answer) => controller.signal.aborted || setState({ answer, loading: false }),
      (error: CrmError) => controller.signal.aborted || setState(({ answer }) => ({ ...(answer !== undefined && { answer }), error, loading: false })),
    )
    return () => controller.abort()
  }, [...dependencies, version])

  // During a retry the error stays on the page.
  useRetry(!state.loading && state.error?.code === 'platform_unavailable', () => {
    quietly.current = true
    setTurn((n) => n + 1)
  })
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  return { answer: state.answer, error: state.error, loading: state.loading, reload }
}
