import { chmodSync, closeSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { CrmError } from '../contract/errors.ts'
import { makePrivateFolder } from './private-folder.ts'

/** A server, and the key that is used there. */
export interface Login {
  readonly url: string
  readonly key: string
}

type Environment = { readonly [variable: string]: string | undefined }

/** The permissions of group and others, which a file with a key must not have. */
const OTHERS = 0o077
const IS_WINDOWS = process.platform === 'win32'

export function loginFile(environment: Environment): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = environment
  const home = environment.HOME || homedir()
  const base = IS_WINDOWS ? appData || join(home, 'AppData', 'Roaming') : xdg && isAbsolute(xdg) ? xdg : join(home, '.config')
  return join(base, 'crm-connector', 'login.json')
}

/** The saved login, if there is one. A file that others can read is refused, since its key may be compromised. */
export function readLogin(environment: Environment): Login | undefined {
  const file = loginFile(environment)
  let text: string
  let mode: number
  try {
    const opened = openSync(file, 'r')
    try {
      mode = fstatSync(opened).mode
      text = readFileSync(opened, 'utf8')
    } finally {
      closeSync(opened)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new CrmError('platform_unavailable', `The login in ${file} cannot be read: ${message}`)
  }
  if (!IS_WINDOWS && (mode & OTHERS) !== 0)
    throw new CrmError('forbidden', `The login in ${file} can be read by others, so it is not used.`, {
      hint: `Revoke its key if it may have been seen. Then: chmod 600 ${file}`,
    })
  const login = parsed(text)
  if (!login) throw new CrmError('invalid_input', `The login in ${file} is damaged.`, { hint: 'Sign in again with crm login, or delete it with crm logout.' })
  return login
}

/** Saves a login in a file that at no moment anyone but its owner can read. Returns its path. */
export function saveLogin(environment: Environment, { url, key }: Login): string {
  const file = loginFile(environment)
  const fresh = `${file}.${process.pid}.new`
  try {
    makePrivateFolder(dirname(file))
    chmodSync(dirname(file), 0o700)
    const opened = openSync(fresh, 'wx', 0o600)
    try {
      writeSync(opened, `${JSON.stringify({ url, key })}\n`)
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw new CrmError('platform_unavailable', `The login cannot be saved in ${file}: ${(error as Error).message}`, { cause: error })
  }
  return file
}

/** Returns the path of the deleted login; undefined where there was none. */
export function deleteLogin(environment: Environment): string | undefined {
  const file = loginFile(environment)
  if (!statSync(file, { throwIfNoEntry: false })) return undefined
  rmSync(file)
  return file
}

function parsed(text: string): Login | undefined {
  try {
    const { url, key } = JSON.parse(text) as Partial<Login>
    return typeof url === 'string' && typeof key === 'string' && URL.canParse(url) ? { url, key } : undefined
  } catch {
    return undefined
  }
}
