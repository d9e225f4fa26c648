import { CrmError } from '../../contract/errors.ts'
import { createTickets } from '../access/tickets.ts'
import type { Caller, Service } from '../service.ts'
import { type Answered, type AuthorizationRequest, errorLocation, readRequest } from './authorization.ts'
import { type Clients, createClients } from './clients.ts'
import { OAuthError } from './errors.ts'
import { type Choice, createGrants } from './grants.ts'
import { createDocuments, type DocumentOptions } from './metadata-documents.ts'
import { placeOf, withAnswer } from './redirects.ts'
import { grantable, refuseBeyond } from './scopes.ts'

/** What a person is shown before they decide. */
export interface Question {
  readonly Client: string
  /** The page about the client, by its own account; or the address it is known by. */
  readonly ClientAddress: string | null
  readonly Verified: boolean
  readonly RedirectsTo: string
  readonly Resource: string
  /** What they may grant of what was asked for. */
  readonly Scopes: readonly string[]
  /** Whether their own key requires deletes to be confirmed. */
  readonly Confirm: boolean
}

export interface OAuth {
  readonly clients: Clients
  readonly grants: ReturnType<typeof createGrants>
  /** Reads the query of an authorization. */
  ask(params: URLSearchParams, issuer: string, requester: string): Promise<Answered>
  /** What a request asks of a person who has signed in. */
  question(caller: Caller, ticket: string): Question
  /** Allows a request, once. Resolves to the address that the browser goes to. */
  allow(caller: Caller, ticket: string, choice: Choice, requestId: string): Promise<string>
  /** Denies it, likewise. */
  deny(caller: Caller, ticket: string): Promise<string>
}

/** The authorization server: people grant clients access to what they may do themselves. */
export function createOAuth(service: Service, documents: Partial<DocumentOptions> = {}): OAuth {
  const tickets = createTickets(service.store, () => service.now().getTime())
  const clients = createClients(tickets, createDocuments({ allowPrivate: service.webhooks.allowPrivate, ...documents }))
  const grants = createGrants(service, tickets)

  function read(caller: Caller, ticket: string): AuthorizationRequest {
    refuseTokens(caller)
    return tickets.read<AuthorizationRequest>('oauth request', ticket) ?? expired()
  }

  /** The scopes of a request that this person may grant. */
  function offered(caller: Caller, { scopes }: AuthorizationRequest): string[] {
    const own = grantable(scopes, caller)
    if (own.length > 0) return own
    throw new CrmError('forbidden', 'You may not grant any of what is asked for.', { hint: `It is ${scopes.join(', ')}. Sign in with a key that allows it.` })
  }

  return {
    clients,
    grants,
    ask: (params, issuer, requester) => readRequest(params, issuer, { clients, tickets }, requester),

    question(caller, ticket) {
      const request = read(caller, ticket)
      const { client, redirect, resource } = request
      return {
        Client: client.name,
        ClientAddress: client.verified ? client.id : (client.address ?? null),
        Verified: client.verified,
        RedirectsTo: placeOf(redirect),
        Resource: resource,
        Scopes: offered(caller, request),
        Confirm: caller.confirms,
      }
    },

    async allow(caller, ticket, choice, requestId) {
      const request = read(caller, ticket)
      if (choice.scopes.length === 0) throw new CrmError('invalid_input', 'Choose at least one scope, or deny the request.')
      refuseBeyond(offered(caller, request), choice.scopes)
      if (!(await tickets.redeem('oauth request', ticket))) expired()
      const code = await grants.grant(caller, request, choice, requestId)
      return withAnswer(request.redirect, { code, state: request.state, iss: request.issuer })
    },

    async deny(caller, ticket) {
      const request = read(caller, ticket)
      if (!(await tickets.redeem('oauth request', ticket))) expired()
      return errorLocation(request, new OAuthError('access_denied', 'The request was denied.'))
    },
  }
}

/** A token is for what was granted: with it a client could grant itself more, and for longer. */
function refuseTokens({ resource }: Caller): void {
  if (resource !== undefined) throw new CrmError('forbidden', 'A token cannot grant access to others.', { hint: 'Sign in as a person.' })
}

function expired(): never {
  throw new CrmError('not_found', 'This request has expired, or was decided already.', { hint: 'Start again from the program that asked.' })
}
