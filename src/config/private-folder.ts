import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner may enter, and its parents. Node's `recursive` option is not used: it never returns where a folder
 * cannot be made, such as below a working directory that was deleted.
 */
export function makePrivateFolder(path: string): void {
  const folder = resolve(path)
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}
