const EVERY_MS = 15_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  if (document.visibilityState === 'visible') for (const listener of listeners) listener()
}

/** Calls the listener at an interval while the page is visible, and when it becomes visible. All listeners share one timer. */
export function onTick(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(tick, EVERY_MS)
    document.addEventListener('visibilitychange', tick)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
  }
}
