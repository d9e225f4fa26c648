import { useEffect, useRef } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { isTyping } from '../../parts/is-typing.ts'
import { pagesFor } from '../../routing/pages.ts'
import { go } from '../../routing/router.ts'
import { useSession } from '../../session/session.ts'
import './shortcuts.css'

/** The key that follows g, by the page it leads to. */
const JUMPS: { readonly [path: string]: string } = {
  '': 'h',
  leads: 'l',
  opportunities: 'o',
  companies: 'a',
  contacts: 't',
  cases: 'c',
  campaigns: 'm',
  objects: 'b',
  changes: 'j',
  events: 'e',
  plans: 'p',
  operations: 'x',
  webhooks: 'w',
  keys: 'k',
  users: 'u',
}

/** The time to press the second key after g. */
const JUMP_MS = 1200

interface Handlers {
  readonly onSearch: () => void
  readonly onHelp: () => void
}

/** The global keyboard shortcuts; off while an input has the focus or a dialog is open. */
export function useShortcuts({ onSearch, onHelp }: Handlers): void {
  const { may } = useSession()
  const handlers = useRef({ onSearch, onHelp })
  handlers.current = { onSearch, onHelp }

  useEffect(() => {
    let jumpUntil = 0
    const onKey = (event: KeyboardEvent) => {
      const dialog = document.querySelector('dialog[open]')
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        if (dialog && !dialog.classList.contains('palette')) return
        event.preventDefault()
        return handlers.current.onSearch()
      }
      if (event.metaKey || event.ctrlKey || event.altKey || dialog || isTyping(event)) return
      if (event.key === '/') {
        event.preventDefault()
        return handlers.current.onSearch()
      }
      if (event.key === '?') return handlers.current.onHelp()
      const page = performance.now() < jumpUntil ? pagesFor(may).find(({ path }) => JUMPS[path] === event.key) : undefined
      jumpUntil = event.key === 'g' && !page ? performance.now() + JUMP_MS : 0
      if (!page) return
      // The second key of a jump is no key of the page.
      event.stopPropagation()
      go(page.path === '' ? [] : [page.path])
    }
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [may])
}

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const { may } = useSession()
  const control = /Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'
  const keys: readonly (readonly [readonly string[], string])[] = [
    [[control, 'K'], 'Search and commands'],
    [['/'], 'Search and commands'],
    [['?'], 'Keyboard shortcuts'],
    [['C'], 'Create a record'],
    [['E'], 'Edit the record'],
    [['J'], 'Next row or record'],
    [['K'], 'Previous row or record'],
    [['O'], 'Open the record beside the table'],
    [['Enter'], 'Open the record, or edit the cell'],
    [['F2'], 'Edit the cell of a table'],
    [['X'], 'Select the row of a table'],
    [['Space'], 'Select the row of a table'],
    [['Shift', 'Space'], 'Select all rows up to this one'],
    [['Shift', 'F10'], 'Filter by a value of the row'],
    [[control, 'A'], 'Select all loaded rows of a table'],
    [[control, 'Z'], 'Undo the last change'],
    ...pagesFor(may).flatMap(({ path, title }) => (JUMPS[path] ? [[['g', JUMPS[path]], title] as const] : [])),
  ]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcuts">
        {keys.map(([pressed, what]) => (
          <div key={pressed.join(' ')}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
