import type { Config } from './config.ts'
import { CrmError } from './contract/errors.ts'
import { createService, type Service } from './core/service.ts'
import type { Store } from './platforms/platform.ts'

/** Opens the platforms and the store that the configuration names, and puts the service together. */
export async function openService(config: Config): Promise<{ service: Service; close(): Promise<void> }> {
  const opened = new Map<string, Store>()

  async function open(url: string): Promise<Store> {
    const known = opened.get(url)
    if (known) return known
    const store = await openPlatform(url)
    opened.set(url, store)
    return store
  }

  async function close() {
    for (const store of opened.values()) await store.close()
  }

  try {
    const platform = await open(config.platform)
    const store = await open(config.store)
    const platforms = new Map<string, Store>()
    for (const [name, { platform: url }] of Object.entries(config.workspaces)) platforms.set(name, await open(url))
    return { service: createService({ platform, store, platforms, settings: config.settings }), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openPlatform(url: string): Promise<Store> {
  const path = sqlitePath(url)
  if (path === undefined) {
    const message = `There is no platform for ${JSON.stringify(url.split(':')[0])}.`
    throw new CrmError('invalid_input', message, { errors: [{ field: 'CRM_PLATFORM', code: 'value', message, expected: 'sqlite:PATH' }] })
  }
  const { openSqlite } = await import('./platforms/sqlite/sqlite.ts')
  try {
    return await openSqlite(path)
  } catch (error) {
    throw new CrmError('platform_unavailable', `The store ${path} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** The file of a SQLite store, or undefined for any other platform. */
export function sqlitePath(url: string): string | undefined {
  const [, path] = /^sqlite:(.+)$/.exec(url) ?? []
  return path
}
