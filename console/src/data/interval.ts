import { useEffect, useRef } from 'react'

/** Calls a function at an interval while the page is visible. Undefined turns it off. */
export function useInterval(ms: number | undefined, act: () => void): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    if (ms === undefined) return
    const timer = setInterval(() => document.visibilityState === 'visible' && current.current(), ms)
    return () => clearInterval(timer)
  }, [ms])
}
