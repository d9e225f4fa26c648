import type { Tickets } from '../access/tickets.ts'
import type { Client, Clients } from './clients.ts'
import { OAuthError } from './errors.ts'
import { matchesRedirect, siteOf, withAnswer } from './redirects.ts'
import { readResource } from './resources.ts'
import { readScopes } from './scopes.ts'

/** How long a person may take to sign in and decide. */
const REQUEST_MS = 600_000
const MAX_STATE = 1_000

/** What a client asks a person for: validated, and carried through the browser as a ticket. */
export interface AuthorizationRequest {
  readonly issuer: string
  readonly client: Pick<Client, 'id' | 'name' | 'address' | 'verified'>
  readonly redirect: string
  readonly challenge: string
  readonly scopes: readonly string[]
  readonly resource: string
  readonly state: string | undefined
}

/** The ticket of a valid request; or what is wrong with it, and the address by which its client is told. */
export type Answered = { readonly ticket: string } | Faulty

export interface Faulty {
  readonly error: OAuthError
  readonly location: string
  /** The site behind that address. A person has to follow the link: any site can register itself, and would otherwise be redirected to from here. */
  readonly site: string | undefined
}

/**
 * Reads the query of an authorization. Throws as long as the redirect address is not known to be the client's own: such faults are shown
 * to the person, since sending them on would make an open redirect of this service.
 */
export async function readRequest(
  params: URLSearchParams,
  issuer: string,
  { clients, tickets }: { clients: Clients; tickets: Tickets },
  requester: string,
): Promise<Answered> {
  const client = await clients.find(single(params, 'client_id', true), requester)
  const redirect = single(params, 'redirect_uri', true)
  if (!client.redirects.some((registered) => matchesRedirect(registered, redirect)))
    throw new OAuthError('invalid_request', 'The redirect_uri is not one that this client has registered.')
  let state: string | undefined
  try {
    state = single(params, 'state')
    if ((state?.length ?? 0) > MAX_STATE) throw new OAuthError('invalid_request', `state has at most ${MAX_STATE} characters.`)
    const { id, name, address, verified } = client
    const request: AuthorizationRequest = { issuer, client: { id, name, address, verified }, redirect, state, ...asked(params, issuer) }
    return { ticket: tickets.issue('oauth request', request, REQUEST_MS) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return { error, location: errorLocation({ issuer, redirect, state }, error), site: siteOf(redirect) }
  }
}

function asked(params: URLSearchParams, issuer: string): Pick<AuthorizationRequest, 'challenge' | 'scopes' | 'resource'> {
  if (single(params, 'response_type', true) !== 'code') throw new OAuthError('unsupported_response_type', 'response_type is code.')
  const challenge = single(params, 'code_challenge')
  if (challenge === undefined || !/^[\w-]{43}$/.test(challenge)) throw new OAuthError('invalid_request', 'PKCE is required: send a code_challenge.')
  if (single(params, 'code_challenge_method') !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method is S256.')
  return { challenge, scopes: readScopes(single(params, 'scope')), resource: readResource(issuer, single(params, 'resource')) }
}

/** The value of a parameter; one that is sent twice could be read differently by another program. */
export function single(params: URLSearchParams, name: string, required: true): string
export function single(params: URLSearchParams, name: string, required?: boolean): string | undefined
export function single(params: URLSearchParams, name: string, required = false): string | undefined {
  const values = params.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} is given more than once.`)
  const value = values[0] === '' ? undefined : values[0]
  if (required && value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** The address that tells a client why its request was refused. */
export function errorLocation(
  { issuer, redirect, state }: Pick<AuthorizationRequest, 'issuer' | 'redirect' | 'state'>,
  { error, message }: OAuthError,
): string {
  return withAnswer(redirect, { error, error_description: message, state, iss: issuer })
}
