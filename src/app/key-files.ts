import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makePrivateFolder } from '../config/private-folder.ts'
import { type Config, SETTINGS_TABLE } from '../config/settings.ts'
import { workingFolder } from '../helpers/working-folder.ts'
import { sqlitePath } from './store-address.ts'

/** The file with the API key of the first admin: beside the file of the store, or else where such a file would be; undefined for a store in memory. */
export function adminKeyFile(config: Pick<Config, 'store'>): string | undefined {
  const file = fileOf(config)
  return file && join(dirname(file), 'admin-key')
}

/**
 * The file with the keys that seal secrets, where the configuration has none: beside the store. In the root of a project, where one would be found in
 * its repository, it is in a folder of the store's own. One that is in either place is found from every working directory.
 */
export function secretKeyFile(config: Pick<Config, 'store'>): string | undefined {
  const file = fileOf(config)
  if (file === undefined) return undefined
  const beside = join(dirname(file), SECRET_KEY)
  const own = join(`${file}${OWN_FOLDER}`, SECRET_KEY)
  if (existsSync(own)) return own
  return isProjectRoot(dirname(file)) && !existsSync(beside) ? own : beside
}

const SECRET_KEY = 'secret-key'

function fileOf({ store }: Pick<Config, 'store'>): string | undefined {
  const path = sqlitePath(store) ?? sqlitePath(SETTINGS_TABLE.platform.fallback) ?? ''
  return path === ':memory:' ? undefined : resolve(path)
}

const OWN_FOLDER = '.keys'

const isProjectRoot = (folder: string) => folder === workingFolder() || existsSync(join(folder, 'package.json'))

/** Makes the folder of a key. That of a store's own in a project is left out of Git. */
export function makeKeyFolder(file: string): void {
  const folder = dirname(file)
  makePrivateFolder(folder)
  if (folder.endsWith(OWN_FOLDER)) writeFileSync(join(folder, '.gitignore'), '*\n')
}
