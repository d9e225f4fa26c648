import { hash, randomBytes } from 'node:crypto'
import { digestOf, sameDigest } from '../access/keys.ts'
import type { Tickets } from '../access/tickets.ts'
import { OAuthError } from './errors.ts'
import { type FetchDocument, isDocumentId } from './metadata-documents.ts'
import { checkRedirect } from './redirects.ts'

const MAX_REDIRECTS = 10
const MAX_NAME = 80
const MAX_ADDRESS = 200
/** A registered client id holds its own metadata, and has to fit into the address of an authorization. */
const MAX_ID = 2_000
const YEAR_MS = 31_536_000_000
const REGISTERED_MS = 10 * YEAR_MS

/** A program that asks people for access. */
export interface Client {
  /** What tokens and the audit know it by: its address, or a short digest of a registered id. */
  readonly id: string
  readonly name: string
  /** The page about it, by its own account. */
  readonly address: string | undefined
  /** Whether its metadata was fetched from its own address; otherwise it has registered itself. */
  readonly verified: boolean
  readonly redirects: readonly string[]
  /** Of a client that has a secret. */
  readonly secretDigest?: string | undefined
}

export type Presenter = Pick<Client, 'id' | 'secretDigest'>

type Described = Omit<Client, 'id' | 'verified'>

export interface Registered {
  readonly clientId: string
  /** Shown once; only its digest is part of the id. */
  readonly secret: string | undefined
  readonly method: string
  readonly client: Client
}

export interface Clients {
  /** Rejects with `invalid_client` where there is none of this id. */
  find(clientId: string, requester: string): Promise<Client>
  /** Who presents a code or token, which name the client that they were given to: without fetching its document again. */
  presenter(clientId: string): Presenter
  register(metadata: unknown): Registered
}

/**
 * Clients are known by a document at their address, or by an id that holds what they have registered, encrypted: registrations take no space, so that
 * there cannot be too many, and every process knows them.
 */
export function createClients(tickets: Tickets, fetchDocument: FetchDocument): Clients {
  function registered(clientId: string): Client {
    const content = tickets.read<Described>('oauth client', clientId)
    if (!content) throw new OAuthError('invalid_client', 'This client is not known.', { hint: 'Register it again at /oauth/register.' })
    return { ...content, id: shortId(clientId), verified: false }
  }

  return {
    presenter: (clientId) => (isDocumentId(clientId) ? { id: clientId } : registered(clientId)),

    async find(clientId, requester) {
      if (!isDocumentId(clientId)) return registered(clientId)
      const document = await fetchDocument(clientId, requester)
      const method = document.token_endpoint_auth_method ?? 'none'
      if (method !== 'none') throw new OAuthError('invalid_client', 'Clients with a metadata document are public: their token_endpoint_auth_method is none.')
      return { ...described(document, new URL(clientId).host), id: clientId, verified: true }
    },

    register(metadata) {
      const given = metadataOf(metadata)
      const method = AUTH_METHODS.find((one) => one === (given.token_endpoint_auth_method ?? 'client_secret_basic'))
      if (method === undefined) throw new OAuthError('invalid_client_metadata', `token_endpoint_auth_method is one of ${AUTH_METHODS.join(', ')}.`)
      const secret = method === 'none' ? undefined : `crm_${randomBytes(32).toString('base64url')}`
      const content = { ...described(given, 'A program without a name'), ...(secret !== undefined && { secretDigest: digestOf(secret) }) }
      const clientId = tickets.issue('oauth client', content, REGISTERED_MS)
      if (clientId.length > MAX_ID)
        throw new OAuthError('invalid_client_metadata', 'The metadata is too long.', { hint: 'Register fewer or shorter redirect_uris.' })
      return { clientId, secret, method, client: { ...content, id: shortId(clientId), verified: false } }
    },
  }
}

export const AUTH_METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post']

/** Refuses a client that has a secret and does not give it. */
export function checkSecret({ secretDigest }: Presenter, secret: string | undefined): void {
  if (secretDigest === undefined) return
  if (secret === undefined || !sameDigest(secretDigest, digestOf(secret))) throw new OAuthError('invalid_client', 'This client has to give its secret.')
}

const shortId = (clientId: string) => `registered:${hash('sha256', clientId, 'base64url').slice(0, 22)}`

function metadataOf(metadata: unknown): { readonly [name: string]: unknown } {
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) return metadata as { readonly [name: string]: unknown }
  throw new OAuthError('invalid_client_metadata', 'The metadata of a client is a JSON object.')
}

function described(given: { readonly [name: string]: unknown }, otherwise: string): Described {
  const redirects = given.redirect_uris
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > MAX_REDIRECTS)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris is a list of 1 to ${MAX_REDIRECTS} addresses.`)
  return { name: plain(given.client_name, MAX_NAME) ?? otherwise, address: webAddress(given.client_uri), redirects: redirects.map(checkRedirect) }
}

/** A text that is shown to people, without what would hide or turn around the rest of the page. */
function plain(text: unknown, max: number): string | undefined {
  if (typeof text !== 'string') return undefined
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return shown === '' ? undefined : [...shown.toWellFormed()].slice(0, max).join('')
}

function webAddress(text: unknown): string | undefined {
  return typeof text === 'string' && text.length <= MAX_ADDRESS && URL.canParse(text) && new URL(text).protocol === 'https:' ? text : undefined
}
