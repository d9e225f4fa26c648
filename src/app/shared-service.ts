import type { Config } from '../config/settings.ts'
import { workingFolder } from '../helpers/working-folder.ts'
import { type Opened, openService } from './open.ts'
import { sqlitePath } from './store-address.ts'

interface Shared {
  readonly opening: Promise<Opened>
  holders: number
}

const shared = new Map<string, Shared>()

/**
 * Opens a service once for all users in this process with the same configuration, and closes it when the last of them has closed it.
 * Services in memory are not shared.
 */
export async function acquireService(config: Config, mustExist?: boolean, keyless?: boolean): Promise<Opened> {
  const open = () => openService(config, { mustExist, keyless })
  if ([config.platform, config.store].some((url) => sqlitePath(url) === ':memory:')) return open()
  const name = JSON.stringify([workingFolder(), config, keyless])
  const one = shared.get(name) ?? { opening: open(), holders: 0 }
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
