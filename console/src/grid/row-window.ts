import { type RefObject, useLayoutEffect, useState } from 'react'
import { useVisibleRows } from './visible-rows.ts'

/** Browsers limit the height of an element, so only a window of this many rows can be scrolled through at a time. */
const MAX_ROWS = 200_000
const HALF_MAX = MAX_ROWS / 2
/** Where each table was left, to restore it. */
const POSITIONS = new WeakMap<object, { readonly top: number; readonly active: number; readonly base: number }>()

interface Extent {
  /** How many rows there are. */
  readonly all: number
  /** The height of each row, and of the head above them. */
  readonly height: number
  readonly head: number
}

/** The active row of a table of any length and the rows to draw, of which `base` is the first that can be scrolled to. */
export function useRowWindow(viewport: RefObject<HTMLElement | null>, rows: object, { all, height, head }: Extent) {
  const [active, setActive] = useState(0)
  const [base, setBase] = useState(0)
  const count = Math.max(0, Math.min(all - base, MAX_ROWS))
  const visible = useVisibleRows(viewport, { count, height, head })
  const [first, last] = [base + visible.first, base + visible.last]

  // A new view starts at the top; one that was left for a record is restored.
  useLayoutEffect(() => {
    const left = POSITIONS.get(rows)
    const position = left ?? { top: 0, active: 0, base: 0 }
    setActive(position.active)
    setBase(position.base)
    viewport.current?.scrollTo({ top: position.top })
    if (left && document.activeElement === document.body) viewport.current?.focus({ preventScroll: true })
  }, [rows])
  useLayoutEffect(() => {
    const shown = viewport.current
    const save = () => POSITIONS.set(rows, { top: shown?.scrollTop ?? 0, active, base })
    shown?.addEventListener('scroll', save, { passive: true })
    save()
    return () => shown?.removeEventListener('scroll', save)
  }, [rows, active, base])

  // At its end the window moves on by half; the visible rows stay where they are.
  useLayoutEffect(() => {
    const move = last - base > MAX_ROWS - 100 && all > base + MAX_ROWS ? HALF_MAX : first - base < 100 && base > 0 ? -HALF_MAX : 0
    if (move !== 0) rebase(base + move, (viewport.current?.scrollTop ?? 0) - move * height)
  }, [first, last, base, all, height])

  function rebase(next: number, top: number): void {
    setBase(next)
    viewport.current?.scrollTo({ top })
    // At once, so that no wrong frame is drawn.
    viewport.current?.dispatchEvent(new Event('scroll'))
  }

  function scrollTo(index: number): void {
    if (index >= base && index < base + MAX_ROWS) visible.scrollTo(index - base)
    else rebase(Math.max(0, index - HALF_MAX), Math.min(index, HALF_MAX) * height)
  }

  return { active, setActive, base, count, first, last, scrollTo }
}
