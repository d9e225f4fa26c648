import type { CrmError } from 'crm-connector'
import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'
import { useRetry } from './retry.ts'

export interface Answer<T> {
  /** The last answer there was; it stays while another is asked for, so that nothing jumps. */
  readonly answer: T | undefined
  readonly error: CrmError | undefined
  readonly loading: boolean
  readonly reload: () => void
}

/** Asks, and asks anew whenever what it depends on changes, or when what went wrong may go well now. The signal ends a question nobody waits for any more. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, dependencies: DependencyList): Answer<T> {
  const [state, setState] = useState<{ answer?: T; error?: CrmError; loading: boolean }>({ loading: true })
  const [version, setTurn] = useState(0)
  const quietly = useRef(false)

  // Whoever asks says what the question depends on.
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

  // What went wrong is shown until something better is known.
  useRetry(!state.loading && state.error?.code === 'platform_unavailable', () => {
    quietly.current = true
    setTurn((n) => n + 1)
  })
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  return { answer: state.answer, error: state.error, loading: state.loading, reload }
}
