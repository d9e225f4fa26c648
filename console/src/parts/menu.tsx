import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Icon, type IconName } from './icon.tsx'
import './menu.css'

export interface MenuItem {
  readonly label: string
  readonly icon?: IconName
  readonly act: () => void
}

/** Where a menu is opened: at a point of the window. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
}

export const placeBelow = (element: Element): MenuPlace => {
  const { left, bottom } = element.getBoundingClientRect()
  return { x: left, y: bottom }
}

interface Props {
  readonly label: string
  readonly place: MenuPlace
  readonly items: readonly MenuItem[]
  readonly onClose: () => void
}

const MARGIN = 8

/** A menu over the page. Arrow keys and first letters move, Enter acts, Escape and a click outside close it; what had the focus before has it again. */
export function Menu({ label, place, items, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  const before = useRef(document.activeElement as HTMLElement | null)
  const closed = useRef(onClose)
  closed.current = onClose

  useLayoutEffect(() => {
    const shown = menu.current
    if (!shown) return
    const { width, height } = shown.getBoundingClientRect()
    shown.style.left = `${Math.max(MARGIN, Math.min(place.x, window.innerWidth - width - MARGIN))}px`
    shown.style.top = `${Math.max(MARGIN, Math.min(place.y, window.innerHeight - height - MARGIN))}px`
    shown.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
  }, [place])

  useEffect(() => {
    const onPointer = ({ target }: PointerEvent) => menu.current?.contains(target as Node) || closed.current()
    const onScroll = ({ target }: Event) => target !== menu.current && closed.current()
    document.addEventListener('pointerdown', onPointer)
    window.addEventListener('scroll', onScroll, true)
    window.addEventListener('resize', onScroll)
    return () => {
      document.removeEventListener('pointerdown', onPointer)
      window.removeEventListener('scroll', onScroll, true)
      window.removeEventListener('resize', onScroll)
    }
  }, [])

  const close = () => {
    before.current?.focus()
    onClose()
  }
  const onKey = (event: KeyboardEvent) => {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const steps: { readonly [key: string]: number } = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
    const step = steps[event.key]
    if (event.key === 'Escape' || event.key === 'Tab') close()
    else if (step !== undefined) all.at(step % all.length)?.focus()
    else if (event.key.length === 1 && event.key !== ' ')
      [...all.slice(at + 1), ...all].find(({ textContent }) => textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return createPortal(
    <div ref={menu} className="menu" role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKey} onContextMenu={(event) => event.preventDefault()}>
      {items.map(({ label: text, icon, act }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            close()
            act()
          }}
        >
          {icon && <Icon name={icon} size={16} />}
          <span>{text}</span>
        </button>
      ))}
    </div>,
    document.body,
  )
}
