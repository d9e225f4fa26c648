import type { Platform } from '../platforms/platform.ts'

/** How long a write is tried again. */
const PATIENCE_MS = 2_000
const LONGEST_PAUSE_MS = 200

/**
 * A platform whose writes are tried again as long as they failed without having done anything: because two of them stood in each
 * other's way, or because a connection was lost before anything was sent.
 */
export function retrying<P extends Platform>(platform: P): P {
  return {
    ...platform,
    async write(workspace, work) {
      let deadline: number | undefined
      for (let pause = 5; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        try {
          return await platform.write(workspace, work)
        } catch (error) {
          // However long the first attempt took, there is a second.
          deadline ??= Date.now() + PATIENCE_MS
          if (!platform.classify(error)?.again || Date.now() > deadline) throw error
          // Those who stood in each other's way shall not meet again.
          await new Promise((resolve) => setTimeout(resolve, pause * Math.random()))
        }
      }
    },
  }
}
