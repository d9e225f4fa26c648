import { useEffect, useRef } from 'react'
import { useInterval } from './interval.ts'
import { useReturn } from './return.ts'

const RETRY_MS = 3_000

/** Until a retry may help: a few seconds, or less where the network comes back. */
export const retryPause = () =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(end, RETRY_MS)
    window.addEventListener('online', end)
    function end() {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      resolve()
    }
  })

/** Retries after a failure: every few seconds while the page is visible, and when the network or the user comes back. */
export function useRetry(failed: boolean, retry: () => void): void {
  useInterval(failed ? RETRY_MS : undefined, retry)
  useReturn(retry, !failed)
  const current = useRef(retry)
  current.current = retry
  useEffect(() => {
    if (!failed) return
    const now = () => document.visibilityState === 'visible' && current.current()
    window.addEventListener('online', now)
    return () => window.removeEventListener('online', now)
  }, [failed])
}
