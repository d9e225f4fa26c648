import { usePendingCount } from './pending.ts'
import './pending-badge.css'

export function PendingBadge() {
  const waiting = usePendingCount()
  if (waiting === 0) return null
  return (
    <span className="pending-badge">
      {waiting}
      <span className="seen-by-readers"> waiting</span>
    </span>
  )
}
