import { useEffect } from 'react'
import { isSameRecord } from '../routing/router.ts'

interface NavigateEvent extends Event {
  readonly navigationType: string
  readonly destination: { readonly url: string }
}

interface Navigating {
  addEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void
  removeEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void
}

/** Asks before the page is left with unsaved input, or in the middle of something else. */
export function useLeaveGuard(unsaved: boolean, question = 'Your changes are not saved. Leave anyway?'): void {
  useEffect(() => {
    if (!unsaved) return
    const onUnload = (event: Event) => event.preventDefault()
    const onNavigate = (event: NavigateEvent) => {
      // Other filters replace the address, and leave the form where it is.
      if (event.navigationType === 'replace' && isSameRecord(event.destination.url)) return
      if (event.cancelable && !window.confirm(question)) event.preventDefault()
    }
    const { navigation } = window as { readonly navigation?: Navigating }
    window.addEventListener('beforeunload', onUnload)
    navigation?.addEventListener('navigate', onNavigate)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      navigation?.removeEventListener('navigate', onNavigate)
    }
  }, [unsaved, question])
}
