import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

interface Props {
  readonly label: string
  readonly width: number
  /** In rem; undefined resets it. */
  readonly onWidth: (width: number | undefined) => void
}

const LEAST = 3
const MOST = 60
const STEP = 1

const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

/** Resizes a column by dragging or with the arrow keys; a double click resets it. */
export function ColumnEdge({ label, width, onWidth }: Props) {
  const edge = useRef<HTMLDivElement>(null)
  const dragged = useRef<{ readonly from: number; readonly width: number }>(undefined)
  const drawn = () => (edge.current?.parentElement?.getBoundingClientRect().width ?? 0) / rem()
  const set = (next: number) => onWidth(Math.round(Math.min(MOST, Math.max(LEAST, next)) * 8) / 8)

  const onDown = (event: PointerEvent) => {
    event.preventDefault()
    dragged.current = { from: event.clientX, width: drawn() }
    edge.current?.setPointerCapture(event.pointerId)
  }
  const onMove = (event: PointerEvent) => {
    if (dragged.current) set(dragged.current.width + (event.clientX - dragged.current.from) / rem())
  }
  const onUp = () => {
    dragged.current = undefined
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') set(drawn() + STEP)
    else if (event.key === 'ArrowLeft') set(drawn() - STEP)
    else if (event.key === 'Home') onWidth(undefined)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved.
    <div
      ref={edge}
      className="grid-edge"
      role="separator"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-label={`Width of ${label}`}
      title="Drag to resize, double-click to reset"
      tabIndex={0}
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={onUp}
      onDoubleClick={() => onWidth(undefined)}
      onKeyDown={onKey}
    />
  )
}
