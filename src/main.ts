#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CONFIG_ROWS, type Flags, readConfig } from './config.ts'
import { CrmError } from './contract/errors.ts'
import { openService, sqlitePath } from './open.ts'
import { runCli } from './transports/cli/cli.ts'
import type { Doors } from './transports/cli/doors.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const doors: Doors = {
  version,
  settings: Object.entries(CONFIG_ROWS).flatMap(([name, row]) =>
    'flag' in row
      ? [{ name, flag: row.flag, help: 'fallback' in row ? `${row.help} (${row.variable}, ${row.fallback})` : `${row.help} (${row.variable})` }]
      : [],
  ),

  async serve(flags: Flags) {
    const { serve } = await import('./serve.ts')
    await serve(readConfig(flags), version)
  },

  open: (flags: Flags, mustExist) => openService(readConfig(flags), mustExist),

  async backup(flags: Flags, file) {
    const { backupSqlite } = await import('./platforms/sqlite/backup.ts')
    const store = fileOfStore(flags)
    return { store, bytes: await copying(() => backupSqlite(store, file)) }
  },

  async restore(flags: Flags, file, force) {
    const { restoreSqlite } = await import('./platforms/sqlite/backup.ts')
    const store = fileOfStore(flags)
    return { store, kept: await copying(() => restoreSqlite(store, file, force)) }
  },
}

function fileOfStore(flags: Flags): string {
  const config = readConfig(flags)
  const stores = new Set([config.store, config.platform, ...Object.values(config.workspaces).map(({ platform }) => platform)])
  if (stores.size > 1 && flags.store === undefined)
    throw new CrmError('invalid_input', 'The configuration names several stores, and each is copied on its own.', {
      hint: `Say which with --store: ${[...stores].filter(sqlitePath).join(', ')}`,
    })
  const path = sqlitePath(config.store)
  if (path === undefined || path === ':memory:') throw new CrmError('unsupported', 'Only a store in a file can be backed up or restored.')
  return path
}

/** What is not a refusal of ours is a disk that failed. */
async function copying<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof CrmError ? error : new CrmError('platform_unavailable', (error as Error).message, { cause: error })
  }
}

process.exitCode = await runCli(process.argv.slice(2), doors)
