#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CONFIG_ROWS, type Flags, readConfig } from './config.ts'
import { CrmError } from './contract/errors.ts'
import { bootstrap } from './core/bootstrap.ts'
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

  async open(flags: Flags) {
    const opened = await openService(readConfig(flags))
    await bootstrap(opened.service)
    return opened
  },

  async backup(flags: Flags, file) {
    const { backupSqlite } = await import('./platforms/sqlite/backup.ts')
    const store = localStore(flags)
    return { store, bytes: await refusing(() => backupSqlite(store, file)) }
  },

  async restore(flags: Flags, file, force) {
    const { restoreSqlite } = await import('./platforms/sqlite/backup.ts')
    const store = localStore(flags)
    return { store, kept: await refusing(() => restoreSqlite(store, file, force)) }
  },
}

function localStore(flags: Flags): string {
  const path = sqlitePath(readConfig(flags).store)
  if (path === undefined || path === ':memory:') throw new CrmError('unsupported', 'Only a store in a file can be backed up or restored.')
  return path
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new CrmError('conflict', (error as Error).message, { cause: error })
  }
}

process.exitCode = await runCli(process.argv.slice(2), doors)
