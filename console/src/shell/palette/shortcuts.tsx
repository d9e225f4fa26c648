import { Fragment, useEffect, useRef } from 'react'
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
      const page = event.timeStamp < jumpUntil ? pagesFor(may).find(({ path }) => JUMPS[path] === event.key) : undefined
      jumpUntil = event.key === 'g' && !page ? event.timeStamp + JUMP_MS : 0
      if (!page) return
      // The second key of a jump is no key of the page.
      event.stopPropagation()
      go(page.path === '' ? [] : [page.path])
    }
    window.addEventListener('keydown', onKey, true)
    return () => window.removeEventListener('keydown', onKey, true)
  }, [may])
}

/** What it does, and the keys that do it: one way or several, each of keys that are pressed together or in turn. */
type Shortcut = readonly [what: string, ...ways: (readonly string[])[]]

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const { may } = useSession()
  const control = /Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'
  const shortcuts: readonly Shortcut[] = [
    ['Search and commands', [control, 'K'], ['/']],
    ['Keyboard shortcuts', ['?']],
    ['Create a record', ['C']],
    ['Edit the record', ['E']],
    ['Next row or record', ['J']],
    ['Previous row or record', ['K']],
    ['Open the record beside the table', ['O']],
    ['Open the record, or edit the cell', ['Enter']],
    ['Edit the cell of a table', ['F2']],
    ['Select the row of a table', ['X'], ['Space']],
    ['Select all rows up to this one', ['Shift', 'Space']],
    ['Filter by a value of the row', ['Shift', 'F10']],
    ['Select all loaded rows of a table', [control, 'A']],
    ['Undo the last change', [control, 'Z']],
    ...pagesFor(may).flatMap(({ path, title }) => (JUMPS[path] ? [[title, ['g', JUMPS[path]]] as const] : [])),
  ]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcuts">
        {shortcuts.map(([what, ...ways]) => (
          <div key={what}>
            <dt>
              {ways.map((pressed, nth) => (
                <Fragment key={pressed.join(' ')}>
                  {nth > 0 && <span className="soft">or</span>}
                  {pressed.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </Fragment>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
