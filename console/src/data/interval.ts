import { useEffect, useRef } from 'react'

/** Does something every so often, while somebody can see it; never where it is not said how often. */
export function useInterval(ms: number | undefined, act: () => void): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    if (ms === undefined) return
    const timer = setInterval(() => document.visibilityState === 'visible' && current.current(), ms)
    return () => clearInterval(timer)
  }, [ms])
}
