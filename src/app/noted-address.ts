import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { makeKeyFolder, secretKeyFile } from './key-files.ts'
import { sqlitePath } from './store-address.ts'

type Place = Pick<Config, 'store'>

/** Notes where the service of a SQLite store is reached while it runs, so that links which are made from the store lead to it on any port. Returns what removes the note. */
export function noteAddress(config: Place, url: string): () => void {
  const file = noteOf(config)
  if (file === undefined) return () => {}
  makeKeyFolder(file)
  writeFileSync(file, `${url}\n`)
  return () => {
    // Another process may serve the store by now.
    if (notedAddress(config) === url) rmSync(file, { force: true })
  }
}

/** Where the service of this store is reached, if it runs. */
export function notedAddress(config: Place): string | undefined {
  const file = noteOf(config)
  return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** Beside the keys that seal the secrets of the store. */
function noteOf(config: Place): string | undefined {
  const path = sqlitePath(config.store)
  const keys = path === undefined ? undefined : secretKeyFile(config)
  return path === undefined || keys === undefined ? undefined : join(dirname(keys), `${basename(path)}.address`)
}
