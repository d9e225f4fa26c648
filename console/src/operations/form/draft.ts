import { useState } from 'react'

/**
 * What is being typed for a value, which may hold more than the value can: a row without a name, a filter without an operand. It goes on as it
 * is while the value is the one that was made of it, and begins anew where the value came from elsewhere.
 */
export function useDraft<V, D>(value: V, read: (value: V) => D, write: (draft: D) => V, onChange: (value: V) => void): readonly [D, (draft: D) => void] {
  const [latest, setLatest] = useState(() => ({ value, draft: read(value) }))
  const draft = JSON.stringify(latest.value) === JSON.stringify(value) ? latest.draft : read(value)
  return [
    draft,
    (next) => {
      const value_ = write(next)
      setLatest({ value: value_, draft: next })
      onChange(value_)
    },
  ]
}
