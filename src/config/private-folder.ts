import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner may enter, and those above it. Node's own way of making several at once never returns
 * where one of them cannot be made, such as below a working directory that is gone.
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
