import { CrmError } from '../../contract/errors.ts'
import type { Confirm } from '../../contract/records/plan.ts'
import { createTickets } from '../access/tickets.ts'
import { callersOf } from '../oidc/memberships.ts'
import type { Caller, Service } from '../service.ts'
import { type Answered, type AuthorizationRequest, errorLocation, readRequest } from './authorization.ts'
import { type Clients, createClients } from './clients.ts'
import { OAuthError } from './errors.ts'
import { type Granted, grantedBy, withdraw } from './granted.ts'
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
  /** The workspaces that they may grant access to; several where they have signed in as a person who has several. */
  readonly Workspaces: readonly Offer[]
}

/** What a person may grant in a workspace. */
export interface Offer {
  readonly Workspace: string
  /** What they may grant of what was asked for. */
  readonly Scopes: readonly string[]
  /** How their own key requires deletes to be confirmed. */
  readonly Confirm: Confirm | null
}

export interface OAuth {
  readonly clients: Clients
  readonly grants: ReturnType<typeof createGrants>
  /** Reads the query of an authorization. */
  ask(params: URLSearchParams, issuer: string, requester: string): Promise<Answered>
  /** What a request asks of a person who has signed in. */
  question(caller: Caller, ticket: string): Promise<Question>
  /** Allows a request, once, in a workspace of the person: that of the caller unless named. Resolves to the address that the browser goes to. */
  allow(caller: Caller, ticket: string, choice: Choice & { readonly workspace?: string | undefined }, requestId: string): Promise<string>
  /** Denies it, likewise. */
  deny(caller: Caller, ticket: string): Promise<string>
  /** What the person has granted in the workspace. */
  granted(caller: Caller): Promise<readonly Granted[]>
  /** Revokes one of these. */
  withdraw(caller: Caller, keyId: string, requestId: string): Promise<void>
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

  /** The callers as which a person may grant some of what is asked for, and what that is. */
  async function offers(caller: Caller, { scopes }: AuthorizationRequest): Promise<readonly { readonly as: Caller; readonly scopes: readonly string[] }[]> {
    const found = (await callersOf(service, caller)).map((as) => ({ as, scopes: grantable(scopes, as) })).filter((offer) => offer.scopes.length > 0)
    if (found.length > 0) return found
    throw new CrmError('forbidden', 'You may not grant any of what is asked for.', { hint: `It is ${scopes.join(', ')}. Sign in with a key that allows it.` })
  }

  return {
    clients,
    grants,
    ask: (params, issuer, requester) => readRequest(params, issuer, { clients, tickets }, requester),

    async question(caller, ticket) {
      const request = read(caller, ticket)
      const { client, redirect, resource } = request
      return {
        Client: client.name,
        ClientAddress: client.verified ? client.id : (client.address ?? null),
        Verified: client.verified,
        RedirectsTo: placeOf(redirect),
        Resource: resource,
        Workspaces: (await offers(caller, request)).map(({ as, scopes }) => ({ Workspace: as.workspace.name, Scopes: scopes, Confirm: as.confirms })),
      }
    },

    async allow(caller, ticket, { workspace = caller.workspace.name, ...choice }, requestId) {
      const request = read(caller, ticket)
      if (choice.scopes.length === 0) throw new CrmError('invalid_input', 'Choose at least one scope, or deny the request.')
      const offer = (await offers(caller, request)).find(({ as }) => as.workspace.name === workspace)
      if (!offer) throw new CrmError('forbidden', 'You may not grant access to this workspace.', { hint: 'Load the page again to see which you may.' })
      refuseBeyond(offer.scopes, choice.scopes)
      if (!(await tickets.redeem('oauth request', ticket))) expired()
      const code = await grants.grant(offer.as, request, choice, requestId)
      return withAnswer(request.redirect, { code, state: request.state, iss: request.issuer })
    },

    async deny(caller, ticket) {
      const request = read(caller, ticket)
      if (!(await tickets.redeem('oauth request', ticket))) expired()
      return errorLocation(request, new OAuthError('access_denied', 'The request was denied.'))
    },

    async granted(caller) {
      refuseTokens(caller)
      return grantedBy(service, caller)
    },

    async withdraw(caller, keyId, requestId) {
      refuseTokens(caller)
      await withdraw(service, caller, keyId, requestId)
    },
  }
}

/** A token is for what was granted: with it a client could grant itself more and for longer, or shut out others. */
function refuseTokens({ resource }: Caller): void {
  if (resource !== undefined) throw new CrmError('forbidden', 'A token can neither grant access nor withdraw it.', { hint: 'Sign in as a person.' })
}

function expired(): never {
  throw new CrmError('not_found', 'This request has expired, or was decided already.', { hint: 'Start again from the program that asked.' })
}
