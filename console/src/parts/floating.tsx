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
  useLayoutEffect(() => {
    const shown = box.current
    if (!shown) return
    const place = () => {
      if (!anchor.current?.isConnected) return
      const at = anchor.current.getBoundingClientRect()
      shown.style.minWidth = `${at.width}px`
      const { width, height } = shown.getBoundingClientRect()
      const below = over ? at.top : at.bottom + MARGIN
      const above = (over ? at.bottom : at.top - MARGIN) - height
      const fits = below + height <= window.innerHeight - MARGIN || above < 0
      shown.style.top = `${Math.max(MARGIN, fits ? Math.min(below, window.innerHeight - height - MARGIN) : above)}px`
      shown.style.left = `${Math.max(MARGIN, Math.min(at.left, window.innerWidth - width - MARGIN))}px`
    }
    shown.showPopover()
    place()
    const sized = new ResizeObserver(place)
    sized.observe(shown)
    window.addEventListener('scroll', place, true)
    window.addEventListener('resize', place)
    return () => {
      sized.disconnect()
      window.removeEventListener('scroll', place, true)
      window.removeEventListener('resize', place)
    }
  }, [anchor, over])
  return (
    <div ref={box} popover="manual" className={`floating ${className}`}>
      {children}
    </div>
  )
}
