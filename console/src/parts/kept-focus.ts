import { useEffect } from 'react'

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
const WIDEST = 'main, body'
const CONTENT = 'main[tabindex]'
/** What moves the focus itself when a part of it goes. */
const OWN = '[data-own-focus]'

/**
 * Keeps the focus of the keyboard in place: when what has it goes, or is disabled, what is nearest to it gets it. A page that is left takes
 * its focus with it.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** What had the focus last and everything around it, on the page and in what is open over it. */
    const last = { page: [] as readonly Element[], dialog: [] as readonly Element[] }
    const onFocus = ({ target }: Event) => {
      const path = pathOf(target as Element)
      if (path.some((one) => one.matches('dialog'))) last.dialog = path
      else Object.assign(last, { page: path, dialog: [] })
    }
    // A click beside everything takes the focus away on purpose.
    const onClick = () => {
      if (isLost() && last.dialog.length === 0 && canHaveFocus(last.page[0])) last.page = []
    }
    let asked = 0
    const onChange = () => {
      if (!isLost()) return
      cancelAnimationFrame(asked)
      // Whatever knows better where the focus belongs gives it first.
      asked = requestAnimationFrame(() => {
        if (!isLost()) return
        const open = document.querySelector('dialog[open]')
        const path = open ? last.dialog.filter((one) => open.contains(one)) : last.page
        if (path.length > 0 && (open || !canHaveFocus(path[0]) || last.dialog.length > 0)) nearest(path)?.focus({ preventScroll: true })
        if (!open) last.dialog = []
      })
    }
    const changes = new MutationObserver(onChange)
    changes.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled', 'open'] })
    document.addEventListener('focusin', onFocus)
    document.addEventListener('click', onClick, true)
    return () => {
      cancelAnimationFrame(asked)
      changes.disconnect()
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('click', onClick, true)
    }
  }, [])
}

const isLost = () => document.activeElement === null || document.activeElement === document.body

const pathOf = (element: Element): Element[] => [element, ...(element.parentElement ? pathOf(element.parentElement) : [])]

const canHaveFocus = (element: Element | undefined): element is HTMLElement =>
  element instanceof HTMLElement && element.isConnected && element.matches(FOCUSABLE) && !element.matches(':disabled') && element.checkVisibility()

/**
 * The first of a path that can have the focus, or that has something within which can; nothing where only the page is left, or what moves the
 * focus itself. Where the page is new as a whole, as after a sign-in, it is its content.
 */
function nearest(path: readonly Element[]): HTMLElement | undefined {
  if (path.some((one) => one.matches(OWN))) return undefined
  for (const one of path) {
    if (!one.isConnected) continue
    if (one.matches(WIDEST)) return undefined
    const found = one.querySelector<HTMLElement>(CONTENT) ?? [one, ...one.querySelectorAll(FOCUSABLE)].find(canHaveFocus)
    if (found) return found
  }
  return undefined
}
