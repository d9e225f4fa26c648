import type { Platform } from '../platforms/platform.ts'

/** How long a write is tried again. */
const PATIENCE_MS = 2_000
const LONGEST_PAUSE_MS = 200

/**
 * A platform whose writes are tried again as long as they failed without having done anything: because two of them stood in each
 * other's way, or because a connection was lost before anything was sent.
 */
export function retrying<P extends Platform>(platform: P): P {
  async function again<T>(first: unknown, attempt: () => Promise<T>): Promise<T> {
    // However long the first attempt took, there is a second.
    const deadline = Date.now() + PATIENCE_MS
    let failure = first
    for (let pause = 5; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (!platform.classify(failure)?.again || Date.now() > deadline) throw failure
      // Those who stood in each other's way shall not meet again.
      await new Promise((resolve) => setTimeout(resolve, pause * Math.random()))
      try {
        return await attempt()
      } catch (error) {
        failure = error
      }
    }
  }
  return {
    ...platform,
    write(workspace, work) {
      const attempt = () => platform.write(workspace, work)
      return attempt().catch((error) => again(error, attempt))
    },
  }
}
