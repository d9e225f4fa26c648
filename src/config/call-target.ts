import { CrmError } from '../contract/errors.ts'
import { withoutTrailingSlashes } from '../helpers/trailing-slashes.ts'
import { type Login, readLogin } from './login.ts'
import { type Flags, fileSettings, SETTINGS_TABLE } from './settings.ts'

/** Where calls go: through a server, or to the store itself. */
export type CallTarget =
  | { readonly kind: 'server'; readonly url: string; readonly key: string; readonly because: string }
  | { readonly kind: 'store'; readonly key: string | undefined; readonly because: string }

type Environment = { readonly [variable: string]: string | undefined }

const URL_VARIABLE = SETTINGS_TABLE.url.variable
const KEY_VARIABLE = SETTINGS_TABLE.key.variable

/**
 * Where calls go, decided by the first of these that says so: flags, environment, config file, login. A key is only ever sent to the server
 * that it was given for.
 */
export function callTarget(flags: Flags, environment: Environment, login: () => Login | undefined = () => readLogin(environment)): CallTarget {
  const ifSet = (name: string) => (environment[name] ? name : undefined)
  const key = environment[KEY_VARIABLE] || undefined
  const named = environment[URL_VARIABLE] ? serverUrl(environment[URL_VARIABLE], URL_VARIABLE) : undefined
  const place = flags.platform !== undefined ? '--platform' : flags.store !== undefined ? '--store' : undefined
  if (flags.url !== undefined && place !== undefined)
    throw new CrmError('invalid_input', `--url and ${place} name two different places.`, { hint: 'Give one of them.' })

  // A key that comes with the address of a server is meant for that server.
  if (place !== undefined) return { kind: 'store', key: named === undefined ? key : undefined, because: `${place} was given` }
  if (flags.url !== undefined) {
    const url = serverUrl(flags.url, '--url')
    return through(url, named === undefined || named === url ? key : undefined, '--url was given', login)
  }
  if (named !== undefined) return through(named, key, `${URL_VARIABLE} is set`, login)
  const variable = ifSet(SETTINGS_TABLE.platform.variable) ?? ifSet(SETTINGS_TABLE.store.variable) ?? ifSet(KEY_VARIABLE)
  if (variable !== undefined) return { kind: 'store', key, because: `${variable} is set` }
  const setting = ['platform', 'store'].find((name) => fileSettings().includes(name))
  if (setting !== undefined) return { kind: 'store', key: undefined, because: `crm.config.json names a ${setting}` }
  const saved = login()
  if (saved) return { kind: 'server', ...saved, because: 'crm login was used' }
  return { kind: 'store', key: undefined, because: 'nothing else is configured' }
}

function through(url: string, key: string | undefined, because: string, login: () => Login | undefined): CallTarget {
  const saved = key === undefined ? login() : undefined
  const used = key ?? (saved?.url === url ? saved.key : undefined)
  if (used === undefined)
    throw new CrmError('unauthenticated', `There is no key for ${url}.`, { hint: `Set ${KEY_VARIABLE}, or sign in with: crm login ${url}` })
  return { kind: 'server', url, key: used, because }
}

/** The address of a server, normalised. */
export function serverUrl(text: string, where: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const message = `${where} is not the address of a server.`
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CrmError('invalid_input', message, { errors: [{ field: where, code: 'form', message, expected: 'http://127.0.0.1:8484 or https://…' }] })
  if (url.username !== '' || url.password !== '')
    throw new CrmError('invalid_input', `${where} holds a name or a password, which does not belong in an address.`, {
      hint: `The key belongs in ${KEY_VARIABLE}.`,
    })
  return withoutTrailingSlashes(url.href)
}
