import { useWaiting } from './waiting.ts'
import './waiting-badge.css'

/** How many plans wait for somebody to look at them, beside the name of their page. */
export function WaitingBadge() {
  const waiting = useWaiting()
  if (waiting === 0) return null
  return (
    <span className="waiting-badge">
      {waiting}
      <span className="seen-by-readers"> waiting</span>
    </span>
  )
}
