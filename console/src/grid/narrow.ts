import { useSyncExternalStore } from 'react'

const narrow = window.matchMedia('(max-width: 44rem)')

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}

/** Whether the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
