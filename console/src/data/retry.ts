import { useEffect, useRef } from 'react'
import { useInterval } from './interval.ts'

const PAUSE_MS = 3_000

/** While something has failed that may go well later: tries again when the network or the reader is back, and every few seconds while somebody looks. */
export function useRetry(failed: boolean, retry: () => void): void {
  useInterval(failed ? PAUSE_MS : undefined, retry)
  const current = useRef(retry)
  current.current = retry
  useEffect(() => {
    if (!failed) return
    const now = () => document.visibilityState === 'visible' && current.current()
    window.addEventListener('online', now)
    window.addEventListener('focus', now)
    document.addEventListener('visibilitychange', now)
    return () => {
      window.removeEventListener('online', now)
      window.removeEventListener('focus', now)
      document.removeEventListener('visibilitychange', now)
    }
  }, [failed])
}
