import { hash, randomBytes } from 'node:crypto'
import { digestOf, sameDigest } from '../access/keys.ts'
import type { Tickets } from '../access/tickets.ts'
import { type Described, describedIn, readRegistration } from './client-metadata.ts'
import { OAuthError } from './errors.ts'
import { type FetchDocument, isDocumentId } from './metadata-documents.ts'

/** A registered client id holds its own metadata, and has to fit into the address of an authorization. */
const MAX_ID = 2_000
const YEAR_MS = 31_536_000_000
const REGISTERED_MS = 10 * YEAR_MS

/** A program that asks people for access. */
export interface Client extends Described {
  /** What tokens and the audit know it by: its address, or a short digest of a registered id. */
  readonly id: string
  /** Whether its metadata was fetched from its own address; otherwise it has registered itself. */
  readonly verified: boolean
  /** Of a client that has a secret. */
  readonly secretDigest?: string | undefined
}

export type Presenter = Pick<Client, 'id' | 'secretDigest'>

export interface Registered {
  readonly clientId: string
  /** Shown once; only its digest is part of the id. */
  readonly secret: string | undefined
  readonly method: string
  readonly client: Client
}

export interface Clients {
  /** Whether an id is that of a client, rather than of a key. */
  isKnown(clientId: string): boolean
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
    const content = tickets.read<Omit<Client, 'id' | 'verified'>>('oauth client', clientId)
    if (!content) throw new OAuthError('invalid_client', 'This client is not known.', { hint: 'Register it again at /oauth/register.' })
    return { ...content, id: shortId(clientId), verified: false }
  }

  return {
    isKnown: (clientId) => isDocumentId(clientId) || tickets.read('oauth client', clientId) !== undefined,

    presenter: (clientId) => (isDocumentId(clientId) ? { id: clientId } : registered(clientId)),

    async find(clientId, requester) {
      if (!isDocumentId(clientId)) return registered(clientId)
      const document = await fetchDocument(clientId, requester)
      const method = document.token_endpoint_auth_method ?? 'none'
      if (method !== 'none') throw new OAuthError('invalid_client', 'Clients with a metadata document are public: their token_endpoint_auth_method is none.')
      return { ...describedIn(document, new URL(clientId).host), id: clientId, verified: true }
    },

    register(metadata) {
      const { method, ...described } = readRegistration(metadata)
      const secret = method === 'none' ? undefined : `crm_${randomBytes(32).toString('base64url')}`
      const content = { ...described, ...(secret !== undefined && { secretDigest: digestOf(secret) }) }
      const clientId = tickets.issue('oauth client', content, REGISTERED_MS)
      if (clientId.length > MAX_ID)
        throw new OAuthError('invalid_client_metadata', 'The metadata is too long.', { hint: 'Register fewer or shorter redirect_uris.' })
      return { clientId, secret, method, client: { ...content, id: shortId(clientId), verified: false } }
    },
  }
}

/** Refuses a client that has a secret and does not give it. */
export function checkSecret({ secretDigest }: Presenter, secret: string | undefined): void {
  if (secretDigest === undefined) return
  if (secret === undefined || !sameDigest(secretDigest, digestOf(secret))) throw new OAuthError('invalid_client', 'This client has to give its secret.')
}

const shortId = (clientId: string) => `registered:${hash('sha256', clientId, 'base64url').slice(0, 22)}`
