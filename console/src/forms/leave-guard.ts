import { useEffect } from 'react'

interface Navigating {
  addEventListener(type: 'navigate', listener: (event: Event) => void): void
  removeEventListener(type: 'navigate', listener: (event: Event) => void): void
}

/** While something is unsaved, whoever leaves the page is asked. */
export function useLeaveGuard(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return
    const onUnload = (event: Event) => event.preventDefault()
    const onNavigate = (event: Event & { readonly navigationType?: string }) => {
      // What only refines the page that is shown does not leave it.
      if (event.navigationType === 'replace') return
      if (event.cancelable && !window.confirm('What you typed is not saved. Leave all the same?')) event.preventDefault()
    }
    const { navigation } = window as { readonly navigation?: Navigating }
    window.addEventListener('beforeunload', onUnload)
    navigation?.addEventListener('navigate', onNavigate)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      navigation?.removeEventListener('navigate', onNavigate)
    }
  }, [unsaved])
}
