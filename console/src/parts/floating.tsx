import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import './floating.css'

interface Props {
  /** What it is placed below, or above where there is no room. */
  readonly anchor: RefObject<HTMLElement | null>
  readonly className?: string
  /** Over the anchor instead of below it. */
  readonly over?: boolean
  readonly children: ReactNode
}

const MARGIN = 4

/** Content above everything else, dialogs included, which no scrolling area cuts off. It follows its anchor. */
export function Floating({ anchor, className = '', over = false, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const place = () => {
    const shown = box.current
    const anchored = anchor.current
    if (!shown || !anchored?.isConnected) return
    const at = anchored.getBoundingClientRect()
    shown.style.minWidth = `${at.width}px`
    const { width, height } = shown.getBoundingClientRect()
    const below = over ? at.top : at.bottom + MARGIN
    const above = (over ? at.bottom : at.top - MARGIN) - height
    const fits = below + height <= window.innerHeight - MARGIN || above < 0
    shown.style.top = `${Math.max(MARGIN, fits ? Math.min(below, window.innerHeight - height - MARGIN) : above)}px`
    shown.style.left = `${Math.max(MARGIN, Math.min(at.left, window.innerWidth - width - MARGIN))}px`
  }
  const latest = useRef(place)
  latest.current = place
  useLayoutEffect(() => box.current?.showPopover(), [])
  // The anchor also moves with what is drawn around it.
  useLayoutEffect(place)
  useLayoutEffect(() => {
    const again = () => latest.current()
    const sized = new ResizeObserver(again)
    if (box.current) sized.observe(box.current)
    window.addEventListener('scroll', again, true)
    window.addEventListener('resize', again)
    return () => {
      sized.disconnect()
      window.removeEventListener('scroll', again, true)
      window.removeEventListener('resize', again)
    }
  }, [])
  return (
    <div ref={box} popover="manual" className={`floating ${className}`}>
      {children}
    </div>
  )
}
