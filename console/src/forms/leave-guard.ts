import { useEffect } from 'react'

interface Navigating {
  addEventListener(type: 'navigate', listener: (event: Event) => void): void
  removeEventListener(type: 'navigate', listener: (event: Event) => void): void
}

/** Asks before the page is left with unsaved input, or in the middle of something else. */
export function useLeaveGuard(unsaved: boolean, question = 'Your changes are not saved. Leave anyway?'): void {
  useEffect(() => {
    if (!unsaved) return
    const onUnload = (event: Event) => event.preventDefault()
    const onNavigate = (event: Event & { readonly navigationType?: string }) => {
      // Replacing the address stays on the page.
      if (event.navigationType === 'replace') return
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
