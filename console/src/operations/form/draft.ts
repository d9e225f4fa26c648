import { useState } from 'react'

/**
 * A draft may hold what the value cannot: a row without a name, a filter without an operand. It is kept as long as the value is the one
 * that was made from it, and read again when the value was changed from outside.
 */
export function useDraft<V, D>(value: V, read: (value: V) => D, write: (draft: D) => V, onChange: (value: V) => void): readonly [D, (draft: D) => void] {
  const [latest, setLatest] = useState(() => ({ value, draft: read(value) }))
  const draft = JSON.stringify(latest.value) === JSON.stringify(value) ? latest.draft : read(value)
  return [
    draft,
    (next) => {
      const written = write(next)
      setLatest({ value: written, draft: next })
      onChange(written)
    },
  ]
}
