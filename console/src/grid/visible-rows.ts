import { type RefObject, useLayoutEffect, useState } from 'react'

/** Rows drawn beyond those in view, and by how many the range moves at a time, so that not every frame of scrolling draws anew. */
const BEYOND = 10
const STEP = 5
/** Rows drawn before the height of the view is known. */
const AT_FIRST = 30

interface Extent {
  readonly count: number
  /** The height of each row, and of the head above them, which stays in view. */
  readonly height: number
  readonly head: number
}

/** The rows to draw of a table whose rows have one height, and how to bring one into view. */
export function useVisibleRows(viewport: RefObject<HTMLElement | null>, { count, height, head }: Extent) {
  const [seen, setSeen] = useState({ first: 0, last: AT_FIRST })
  useLayoutEffect(() => {
    const shown = viewport.current
    if (!shown) return
    const read = () => {
      const first = Math.max(0, STEP * Math.floor((shown.scrollTop / height - BEYOND) / STEP))
      const last = STEP * Math.ceil(((shown.scrollTop + shown.clientHeight) / height + BEYOND) / STEP)
      setSeen((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    read()
    const resized = new ResizeObserver(read)
    resized.observe(shown)
    shown.addEventListener('scroll', read, { passive: true })
    return () => {
      resized.disconnect()
      shown.removeEventListener('scroll', read)
    }
  }, [viewport, height])

  return {
    first: Math.max(0, Math.min(seen.first, count - 1)),
    last: Math.max(0, Math.min(seen.last, count - 1)),
    scrollTo(index: number) {
      const shown = viewport.current
      if (!shown) return
      const [top, bottom] = [index * height, head + (index + 1) * height - shown.clientHeight]
      if (top < shown.scrollTop) shown.scrollTo({ top })
      else if (bottom > shown.scrollTop) shown.scrollTo({ top: bottom })
    },
  }
}
