import type { Config } from '../config/settings.ts'
import { type Opened, openService, sqlitePath } from './open.ts'

interface Shared {
  readonly opening: Promise<Opened>
  holders: number
}

const shared = new Map<string, Shared>()

/**
 * Opens a service once for all users in this process with the same configuration, and closes it when the last of them has closed it.
 * Services in memory are not shared.
 */
export async function acquireService(config: Config, mustExist?: boolean): Promise<Opened> {
  if ([config.platform, config.store].some((url) => sqlitePath(url) === ':memory:')) return openService(config, mustExist)
  const name = JSON.stringify([folder(), config])
  const one = shared.get(name) ?? { opening: openService(config, mustExist), holders: 0 }
  shared.set(name, one)
  one.holders++

  async function release(): Promise<void> {
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
          await release()
        }
      },
    }
  } catch (error) {
    // A failure to open is not cached.
    if (shared.get(name) === one) shared.delete(name)
    throw error
  }
}

/** Where we are; empty where that is gone, which opening the store reports. */
function folder(): string {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}
