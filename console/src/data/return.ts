import { useEffect, useRef } from 'react'

/** Calls a function when the user comes back to the page; `off` turns that off. */
export function useReturn(act: () => void, off = false): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    if (off) return
    const now = () => document.visibilityState === 'visible' && current.current()
    window.addEventListener('focus', now)
    document.addEventListener('visibilitychange', now)
    return () => {
      window.removeEventListener('focus', now)
      document.removeEventListener('visibilitychange', now)
    }
  }, [off])
}
