/** Thrown where something took longer than it may. */
export class TimeoutError extends Error {
  readonly seconds: number
  constructor(ms: number) {
    super('It took too long.')
    this.seconds = ms / 1000
  }
}

/** Timers that are set for longer go off at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Does some work, and waits for it no longer than so, nor beyond the abort of the signal, whose reason it then throws at once. */
export async function withTimeout<T>(ms: number, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const own = new AbortController()
  const abort = () => own.abort(signal?.reason)
  const timer = setTimeout(() => own.abort(new TimeoutError(ms)), Math.min(ms, LONGEST_MS))
  signal?.addEventListener('abort', abort)
  try {
    // The work may take no notice of the signal it is given.
    return await Promise.race([work(own.signal), aborted(own.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Does nothing for so long, or until the signal aborts, whose reason it then throws. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await withTimeout(ms, signal, () => new Promise(() => {})).catch((error: unknown) => {
    if (!(error instanceof TimeoutError)) throw error
  })
}

const aborted = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
