import { type DependencyList, useEffect, useRef } from 'react'
import { type Answer, useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'

/** Figures over many records are not asked for more often than this, however much happens. */
const PAUSE_MS = 4_000

/** Asks like `useAnswer`, and again when something has happened to records of the type. */
export function useFresh<T>(type: string, ask: (signal: AbortSignal) => Promise<T>, dependencies: DependencyList): Answer<T> {
  const answer = useAnswer(ask, dependencies)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const current = useRef(answer)
  current.current = answer

  const wait = () => {
    timer.current = setTimeout(() => {
      timer.current = undefined
      // Whoever does not look can wait, and a question that takes long must not be broken off for the next.
      if (document.hidden || current.current.asking) wait()
      else current.current.again()
    }, PAUSE_MS)
  }
  useLive(({ RecordType }) => {
    if (RecordType === type && timer.current === undefined) wait()
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return answer
}
