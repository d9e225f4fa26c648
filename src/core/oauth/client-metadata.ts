import type { Fault } from '../../contract/errors.ts'
import { isObject } from '../../helpers/is-object.ts'
import { OAuthError } from './errors.ts'
import { redirectFault } from './redirects.ts'

const MAX_REDIRECTS = 10
const MAX_NAME = 80
const MAX_ADDRESS = 200

export const AUTH_METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post']
export const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token', 'client_credentials']
export const RESPONSE_TYPES: readonly string[] = ['code']

export interface Metadata {
  readonly [member: string]: unknown
}

/** What a client says of itself, as people are shown it. */
export interface Described {
  readonly name: string
  /** The page about it, by its own account. */
  readonly address: string | undefined
  readonly redirects: readonly string[]
}

/** Reads what a client registers. Refuses what it cannot have here, with every fault. */
export function readRegistration(metadata: unknown): Described & { readonly method: string } {
  if (!isObject(metadata)) throw new OAuthError('invalid_client_metadata', 'The metadata of a client is a JSON object.')
  const method = AUTH_METHODS.find((one) => one === (metadata.token_endpoint_auth_method ?? 'client_secret_basic'))
  const faults = [
    ...(method === undefined ? [fault('token_endpoint_auth_method', `token_endpoint_auth_method is one of ${AUTH_METHODS.join(', ')}.`)] : []),
    ...listFaults('grant_types', metadata.grant_types, 'authorization_code'),
    ...listFaults('response_types', metadata.response_types, 'code'),
  ]
  return { ...describedIn(metadata, 'A program without a name', faults), method: method as string }
}

/** The description of a client in its metadata; `otherwise` is the name of one that gives none. Refuses its faults, and those that were found before. */
export function describedIn(metadata: Metadata, otherwise: string, faults: readonly Fault[] = []): Described {
  refuseFaults([...descriptionFaults(metadata), ...faults])
  const { client_name, client_uri, redirect_uris } = metadata
  return { name: plain(client_name) ?? otherwise, address: webAddress(client_uri), redirects: redirect_uris as readonly string[] }
}

function descriptionFaults({ client_name, client_uri, redirect_uris }: Metadata): Fault[] {
  return [
    ...(isAbsent(client_name) || typeof client_name === 'string' ? [] : [fault('client_name', 'client_name is a text.')]),
    ...(isAbsent(client_uri) || client_uri === '' || (typeof client_uri === 'string' && URL.canParse(client_uri))
      ? []
      : [fault('client_uri', 'client_uri is an absolute URL.')]),
    ...redirectFaults(redirect_uris),
  ]
}

function redirectFaults(redirects: unknown): Fault[] {
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > MAX_REDIRECTS)
    return [fault('redirect_uris', `redirect_uris is a list of 1 to ${MAX_REDIRECTS} addresses.`)]
  return redirects.flatMap((redirect, i) => {
    const why = redirectFault(redirect)
    return why === undefined ? [] : [fault(`redirect_uris.${i}`, `redirect_uris.${i} ${why}.`)]
  })
}

/**
 * Faults of a list, which needs the one value without which a client cannot be let in. Values that are not supported are no fault: editors register what they
 * would use anywhere, such as device codes, and the answer says which of them are theirs here.
 */
function listFaults(field: string, given: unknown, needed: string): Fault[] {
  if (isAbsent(given) || (Array.isArray(given) && given.includes(needed) && given.every((value) => typeof value === 'string'))) return []
  return [fault(field, `${field} is a list with ${needed}.`)]
}

function refuseFaults(errors: readonly Fault[]): void {
  if (errors.length === 0) return
  const code = errors.every(({ field }) => field.startsWith('redirect_uris')) ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  throw new OAuthError(code, errors.map(({ message }) => message).join(' '), { errors })
}

const fault = (field: string, message: string): Fault => ({ field, code: 'value', message })

const isAbsent = (value: unknown) => value === undefined || value === null

/** A text that is shown to people, without what would hide or turn around the rest of the page. */
function plain(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return shown === '' ? undefined : [...shown.toWellFormed()].slice(0, MAX_NAME).join('')
}

function webAddress(text: unknown): string | undefined {
  return typeof text === 'string' && text.length <= MAX_ADDRESS && URL.canParse(text) && new URL(text).protocol === 'https:' ? text : undefined
}
