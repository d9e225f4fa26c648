import { useEffect, useRef } from 'react'

/** Does something every so often, while somebody can see it. */
export function useEvery(ms: number, act: () => void): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && current.current(), ms)
    return () => clearInterval(timer)
  }, [ms])
}
