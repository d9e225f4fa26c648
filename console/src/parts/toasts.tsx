import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { isTyping } from './is-typing.ts'
import { Words } from './words.tsx'
import './toasts.css'

export interface Toast {
  readonly text: string
  readonly bad?: boolean
  /** The address of the result. */
  readonly open?: string
  readonly act?: { readonly label: string; readonly act: () => Promise<void> | void }
}

/** Long enough to undo. */
const SHOWN_MS = 10_000

const ToastContext = createContext<(toast: Toast) => void>(() => {})

export const useToast = () => useContext(ToastContext)

/** Short messages at the edge of the page, with Undo. */
export function Toasts({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly (Toast & { readonly id: number })[]>([])
  const next = useRef(0)
  const undo = useUndoKey()
  const remove = useCallback((id: number) => setShown((all) => all.filter((toast) => toast.id !== id)), [])
  const add = useCallback(
    (toast: Toast) => {
      const id = next.current++
      // A toast replaces the one before, so that little of the page is covered; the last error stays.
      setShown((all) => [...all.filter(({ bad }) => bad).slice(-1), { ...toast, id }])
      if (toast.act?.label === 'Undo')
        undo.current = () => {
          remove(id)
          void toast.act?.act()
        }
      setTimeout(() => remove(id), SHOWN_MS)
    },
    [remove, undo],
  )
  return (
    <ToastContext value={add}>
      {children}
      <div className="toasts" data-own-focus role="status" aria-live="polite">
        {shown.map(({ id, text, bad, open, act }) => (
          <div key={id} className={`toast${bad ? ' toast-bad' : ''}`}>
            <span title={text}>
              <Words>{text}</Words>
            </span>
            {open !== undefined && (
              <a className="toast-open" href={open} onClick={() => remove(id)}>
                Open
              </a>
            )}
            {act && (
              <Button
                small
                icon="undo"
                onClick={() => {
                  remove(id)
                  undo.current = undefined
                  void act.act()
                }}
              >
                {act.label}
              </Button>
            )}
            <IconButton icon="close" label="Dismiss" small onClick={() => remove(id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  )
}

/** Ctrl Z undoes the last change that a toast has offered to undo, also after it is gone; in an input it is the browser's own. */
function useUndoKey() {
  const undo = useRef<() => void>(undefined)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || !undo.current) return
      if (document.querySelector('dialog[open]') || isTyping(event)) return
      event.preventDefault()
      undo.current()
      undo.current = undefined
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return undo
}
