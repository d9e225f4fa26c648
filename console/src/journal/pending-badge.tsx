import { usePendingCount } from './pending.ts'
import './pending-badge.css'

/** How many plans wait for somebody to look at them, beside the name of their page. */
export function PendingBadge() {
  const waiting = usePendingCount()
  if (waiting === 0) return null
  return (
    <span className="waiting-badge">
      {waiting}
      <span className="seen-by-readers"> waiting</span>
    </span>
  )
}
