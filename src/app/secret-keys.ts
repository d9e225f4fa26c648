import { closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { KEY_FORM, readSealingKeys } from '../config/sealing-keys.ts'
import { CrmError } from '../contract/errors.ts'
import { createVault, newSealingKey, type Vault } from '../core/access/vault.ts'
import { makeKeyFolder } from './key-files.ts'

interface Beside {
  /** Whether the store is a database, which services on other machines share, and not the file. */
  readonly isShared?: boolean
  /** Whether the store has values that were sealed before. */
  readonly hasSealed?: boolean
}

/**
 * The vault with the configured keys and those in the file, which still open once others are configured. Without any, a key is made in the file when
 * the first value is sealed, and only then: where there are sealed values, their key is missing, and another in its place would hide that, and be
 * overwritten when the file is put back. A store in memory has no file, and its key ends with it. Only configured keys seal what is in a shared store.
 */
export function openVault(configured: readonly Buffer[], file: string | undefined, { isShared = false, hasSealed = false }: Beside = {}): Vault {
  if (file === undefined) return createVault(configured)
  if (isShared) return createVault(configured, { find: () => keysIn(file) })
  const make = () => {
    // Another process may have made the first one meanwhile.
    if (hasSealed && keysIn(file).length === 0) throw missingKey(file)
    return makeKey(file)
  }
  return createVault([...configured, ...keysIn(file)], { make, find: () => keysIn(file) })
}

const missingKey = (file: string) =>
  new CrmError('platform_unavailable', `${file} is missing, and the store has secrets that were sealed with its key. No other key is made in its place.`, {
    retryable: false,
    hint: `Put the file back from a copy, or give its key with CRM_SECRET_KEYS, and restart. If the key is lost, give another with CRM_SECRET_KEYS (${KEY_FORM}), and replace the secrets: crm rotate_webhook_secret, crm update_connection.`,
  })

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
    makeKeyFolder(file)
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
