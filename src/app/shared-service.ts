import type { Config } from '../config/settings.ts'
import { type Opened, openService, sqlitePath } from './open.ts'

interface Shared {
  readonly opening: Promise<Opened>
  holders: number
}

const shared = new Map<string, Shared>()

/**
 * Opens what the configuration names once for everybody in this process who names the same, and closes it when the last lets go.
 * Only what lives in memory is everybody's own.
 */
export async function acquireService(config: Config, mustExist?: boolean): Promise<Opened> {
  if ([config.platform, config.store].some((url) => sqlitePath(url) === ':memory:')) return openService(config, mustExist)
  const name = JSON.stringify([process.cwd(), config])
  const one = shared.get(name) ?? { opening: openService(config, mustExist), holders: 0 }
  shared.set(name, one)
  one.holders++

  async function letGo(): Promise<void> {
    if (--one.holders > 0) return
    if (shared.get(name) === one) shared.delete(name)
    await (await one.opening).close()
  }

  try {
    const opened = await one.opening
    let held = true
    return {
      ...opened,
      async close() {
        if (held) {
          held = false
          await letGo()
        }
      },
    }
  } catch (error) {
    // What could not be opened may be next time.
    if (shared.get(name) === one) shared.delete(name)
    throw error
  }
}
