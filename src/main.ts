#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { CONFIG_ROWS, type Flags, readConfig } from './config.ts'
import { clientOf } from './contract/client.ts'
import { CrmError } from './contract/errors.ts'
import { isPostgres, openService, shownStore, sqlitePath } from './open.ts'
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

  async client(flags: Flags, how) {
    const { openLocal } = await import('./local.ts')
    return clientOf(await openLocal(flags, { ...how, transport: 'cli' }))
  },

  open: (flags: Flags, mustExist) => openService(readConfig(flags), mustExist),

  async backup(flags: Flags, file, how) {
    const { backupStore } = await import('./move.ts')
    const store = theStore(flags)
    return { store: shownStore(store), bytes: await backupStore(store, file, how) }
  },

  async restore(flags: Flags, file, force, how) {
    const { restoreStore } = await import('./move.ts')
    const store = theStore(flags)
    return { store: shownStore(store), kept: await restoreStore(store, file, force, how) }
  },

  async migrateStore(from, to, how) {
    const { moveStore } = await import('./move.ts')
    return moveStore(from, to, how)
  },
}

/** The one store that the configuration names. */
function theStore(flags: Flags): string {
  const config = readConfig(flags)
  const stores = new Set([config.store, config.platform, ...Object.values(config.workspaces).map(({ platform }) => platform)])
  if (stores.size > 1 && flags.store === undefined)
    throw new CrmError('invalid_input', 'The configuration names several stores, and each is copied on its own.', {
      hint: `Say which with --store: ${[...stores].map((store) => (sqlitePath(store) === undefined ? shownStore(store) : store)).join(', ')}`,
    })
  if (sqlitePath(config.store) === ':memory:' || !(sqlitePath(config.store) || isPostgres(config.store)))
    throw new CrmError('unsupported', 'Only a store in a file or in a database can be backed up or restored.')
  return config.store
}

process.exitCode = await runCli(process.argv.slice(2), doors)
