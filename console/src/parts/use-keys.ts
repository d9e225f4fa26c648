import { useEffect, useRef } from 'react'
import { isTyping } from './is-typing.ts'

/** What single keys do on a page, by the key; nothing while an input has the focus or a dialog is open. */
export function useKeys(keys: { readonly [key: string]: (() => void) | undefined }): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = current.current[event.key]
      if (!act || event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
      if (isTyping(event) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
