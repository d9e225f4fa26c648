import { useEffect, useRef } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
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

const isTyping = ({ target }: KeyboardEvent) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

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
      if (page) go(page.path === '' ? [] : [page.path])
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [may])
}

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const { may } = useSession()
  const control = /Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'
  const keys: readonly (readonly [readonly string[], string])[] = [
    [[control, 'K'], 'Search and commands'],
    [['/'], 'Search and commands'],
    [['?'], 'Keyboard shortcuts'],
    ...pagesFor(may).map(({ path, title }) => [['g', JUMPS[path] ?? ''], title] as const),
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
