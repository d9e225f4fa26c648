import { closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../config/private-folder.ts'
import { KEY_FORM, readSealingKeys } from '../config/sealing-keys.ts'
import { CrmError } from '../contract/errors.ts'
import { createVault, newSealingKey, type Vault } from '../core/access/vault.ts'

/** The file beside the store that holds the keys where the configuration has none. */
export const SECRET_KEY_FILE = 'secret-key'

/**
 * The vault with the configured keys and those in the file, which still open once others are configured. Without any, a key is made in the file when
 * the first value is sealed; a store in memory has no file, and its key ends with it. Services on other machines share a database and not the file,
 * so that only configured keys seal what is in one.
 */
export function openVault(configured: readonly Buffer[], file: string | undefined, isShared = false): Vault {
  if (file === undefined) return createVault(configured)
  if (isShared) return createVault(configured, { find: () => keysIn(file) })
  return createVault([...configured, ...keysIn(file)], { make: () => makeKey(file), find: () => keysIn(file) })
}

/** The keys in a file; none where it does not exist. */
export function keysIn(file: string): readonly Buffer[] {
  if (!existsSync(file)) return []
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CrmError('platform_unavailable', `The keys in ${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  const keys = readSealingKeys(text)
  if (keys && keys.length > 0) return keys
  throw new CrmError('invalid_input', `${file} does not hold keys.`, {
    hint: `Restore it from a copy. Each line is a key: ${KEY_FORM}.`,
  })
}

/** Makes the file with a key. Where another process was faster, its key is the one. */
function makeKey(file: string): Buffer {
  const own = `${file}.${process.pid}`
  try {
    makePrivateFolder(dirname(file))
    try {
      writeFileSync(own, `${newSealingKey().toString('base64')}\n`, { mode: 0o600, flush: true })
      publish(own, file)
    } finally {
      rmSync(own, { force: true })
    }
  } catch (error) {
    throw new CrmError('platform_unavailable', `A key to seal secrets with cannot be kept in ${file}: ${(error as Error).message}`, {
      hint: `Give keys with CRM_SECRET_KEYS: ${KEY_FORM}.`,
      cause: error,
    })
  }
  return keysIn(file)[0] as Buffer
}

/** Gives a whole file its name, unless there is one of that name. It is on disk before anything is sealed with its key. */
function publish(own: string, file: string): void {
  try {
    linkSync(own, file)
  } catch (error) {
    if (isThere(error)) return
    // Some file systems have no links.
    try {
      copyFileSync(own, file, constants.COPYFILE_EXCL)
    } catch (failure) {
      if (!isThere(failure)) throw failure
    }
  }
  if (process.platform === 'win32') return
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

const isThere = (error: unknown) => (error as { code?: string }).code === 'EEXIST'
