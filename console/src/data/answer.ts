import type { CrmError } from 'crm-connector'
import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'
import { useRetry } from './retry.ts'

export interface Answer<T> {
  /** The last answer there was; it stays while another is asked for, so that nothing jumps. */
  readonly answer: T | undefined
  readonly error: CrmError | undefined
  readonly asking: boolean
  readonly again: () => void
}

/** Asks, and asks anew whenever what it depends on changes, or when what went wrong may go well now. The signal ends a question nobody waits for any more. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, dependencies: DependencyList): Answer<T> {
  const [state, setState] = useState<{ answer?: T; error?: CrmError; asking: boolean }>({ asking: true })
  const [turn, setTurn] = useState(0)
  const quietly = useRef(false)

  // Whoever asks says what the question depends on.
  useEffect(() => {
    const gone = new AbortController()
    const quiet = quietly.current
    quietly.current = false
    setState(({ answer, error }) => ({ ...(answer !== undefined && { answer }), ...(quiet && error && { error }), asking: true }))
    ask(gone.signal).then(
      (answer) => gone.signal.aborted || setState({ answer, asking: false }),
      (error: CrmError) => gone.signal.aborted || setState(({ answer }) => ({ ...(answer !== undefined && { answer }), error, asking: false })),
    )
    return () => gone.abort()
  }, [...dependencies, turn])

  // What went wrong is shown until something better is known.
  useRetry(!state.asking && state.error?.code === 'platform_unavailable', () => {
    quietly.current = true
    setTurn((n) => n + 1)
  })
  const again = useCallback(() => setTurn((n) => n + 1), [])
  return { answer: state.answer, error: state.error, asking: state.asking, again }
}
