export class TimeoutError extends Error {
  readonly seconds: number
  constructor(ms: number) {
    super('It took too long.')
    this.seconds = ms / 1000
  }
}

/** Node fires timers that are longer than this at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Runs `work` until it ends, the time is over (TimeoutError) or the signal aborts (its reason). */
export async function withTimeout<T>(ms: number, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const own = new AbortController()
  const abort = () => own.abort(signal?.reason)
  const timer = setTimeout(() => own.abort(new TimeoutError(ms)), Math.min(ms, LONGEST_MS))
  signal?.addEventListener('abort', abort)
  try {
    // Raced, since the work may ignore its signal.
    return await Promise.race([work(own.signal), aborted(own.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Waits, or throws the signal's reason once it aborts. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await withTimeout(ms, signal, () => new Promise(() => {})).catch((error: unknown) => {
    if (!(error instanceof TimeoutError)) throw error
  })
}

const aborted = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
