import { hash, randomBytes } from 'node:crypto'
import type { TestServer } from './server.ts'

/** An address on this machine that no program listens at: tests read the code from the address itself. */
export const CALLBACK = 'http://127.0.0.1:33418/callback'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
}

export interface Refusal {
  readonly error: string
  readonly error_description: string
}

type Params = { readonly [name: string]: string | undefined }

const given = (params: Params) => Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)

/** Registers a client; public unless the metadata says otherwise. */
export async function register(
  { url }: Pick<TestServer, 'url'>,
  metadata: object = {},
): Promise<{ readonly client_id: string; readonly client_secret?: string }> {
  const response = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Tester', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', ...metadata }),
  })
  if (response.status !== 201) throw new Error(`register: ${await response.text()}`)
  return (await response.json()) as { client_id: string }
}

/** Posts a form to an endpoint. */
export async function postForm(
  { url }: Pick<TestServer, 'url'>,
  path: string,
  params: Params,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Tokens & Refusal; headers: Headers }> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(given(params)), headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
}

export const newVerifier = () => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string) => hash('sha256', verifier, 'base64url')

/** The address of an authorization. */
export function authorizationUrl({ url }: Pick<TestServer, 'url'>, clientId: string, verifier: string, params: Params = {}): string {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'state-1',
    ...params,
  }
  return `${url}/oauth/authorize?${new URLSearchParams(given(all))}`
}

/** Where an authorization sends the browser; the page that is shown instead where it sends it nowhere. */
export async function authorize(address: string): Promise<{ status: number; location: string | null; page: string }> {
  const response = await fetch(address, { redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location'), page: await response.text() }
}

/** The ticket of a request, as the consent page receives it. */
export async function ticketOf(address: string): Promise<string> {
  const { location, page } = await authorize(address)
  const ticket = location?.split('#/authorize?request=')[1]
  if (ticket === undefined) throw new Error(`no consent page: ${location} ${page}`)
  return ticket
}

/** What the consent page sends. */
export async function consent(
  { url, key }: Pick<TestServer, 'url' | 'key'>,
  decision: object,
): Promise<{ status: number; body: { Location: string; code: string; detail: string } }> {
  const response = await fetch(`${url}/oauth/consent`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(decision),
  })
  return { status: response.status, body: (await response.json()) as { Location: string; code: string; detail: string } }
}

export interface Granted {
  readonly code: string
  readonly verifier: string
  readonly answer: URLSearchParams
}

/** A code that a person has granted to a client. */
export async function grantedCode(server: Pick<TestServer, 'url' | 'key'>, clientId: string, params: Params = {}, choice: object = {}): Promise<Granted> {
  const verifier = newVerifier()
  const Request = await ticketOf(authorizationUrl(server, clientId, verifier, params))
  const { status, body } = await consent(server, { Request, Allow: true, Scopes: ['read', 'write'], Confirm: false, ...choice })
  if (status !== 200) throw new Error(`consent: ${JSON.stringify(body)}`)
  const answer = new URL(body.Location).searchParams
  return { code: answer.get('code') as string, verifier, answer }
}

/** The parameters that redeem a code. */
export const redemption = (client_id: string, { code, verifier }: Pick<Granted, 'code' | 'verifier'>) => ({
  grant_type: 'authorization_code',
  client_id,
  code,
  code_verifier: verifier,
  redirect_uri: CALLBACK,
})

/** The tokens of a client that a person has allowed. */
export async function grantedTokens(server: Pick<TestServer, 'url' | 'key'>, clientId: string, params?: Params, choice?: object): Promise<Tokens> {
  const { status, body } = await postForm(server, '/oauth/token', redemption(clientId, await grantedCode(server, clientId, params, choice)))
  if (status !== 200) throw new Error(`token: ${JSON.stringify(body)}`)
  return body
}
