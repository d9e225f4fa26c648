import { type DependencyList, useEffect, useRef } from 'react'
import { type Answer, useAnswer } from './answer.ts'
import { useLive } from './live.tsx'

/** Summaries over many records are not requested more often than this, however many events arrive. */
const MIN_INTERVAL_MS = 4_000

/** Like `useAnswer`, and reloads after events of the record type. */
export function useLiveAnswer<T>(type: string, ask: (signal: AbortSignal) => Promise<T>, dependencies: DependencyList): Answer<T> {
  const answer = useAnswer(ask, dependencies)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(answer)
  latest.current = answer

  const schedule = () => {
    timer.current = setTimeout(() => {
      timer.current = undefined
      // A hidden page need not be up to date, and a slow request must not be aborted for the next one.
      if (document.hidden || latest.current.loading) schedule()
      else latest.current.reload()
    }, MIN_INTERVAL_MS)
  }
  useLive(({ RecordType }) => {
    if (RecordType === type && timer.current === undefined) schedule()
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return answer
}
