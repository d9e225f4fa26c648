import { createHash, randomBytes } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import { User } from '../../contract/records/user.ts'
import { callerOf } from '../access/authenticate.ts'
import { refuseState } from '../access/served.ts'
import { refuse } from '../call/check.ts'
import { getRecord } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Caller, Service } from '../service.ts'
import type { AccountAuthorization } from './accounts.ts'
import { type StoredConnection, settingsOf } from './settings.ts'

/** How long a link may wait for the owner of the account, and how long signing in there may take. */
const LINK_MS = 86_400_000
const STATE_MS = 15 * 60_000

/** Who is to be let in where, and who has asked for it. */
export interface Asked {
  readonly workspace: number
  readonly connectionId: string
  readonly userId: string
}

/** What comes back with the browser. */
export interface AuthorizationState extends Asked {
  readonly verifier: string
  readonly redirectUri: string
  /** The digest of a secret that the browser holds which began it; undefined where a program on the same machine began it. */
  readonly browser?: string | undefined
  /** The link that it began with. */
  readonly ticket?: string | undefined
}

/** One visit of a browser at the CRM. */
interface Visit {
  readonly ticket: string
  /** What the browser keeps meanwhile. */
  readonly secret: string
}

export interface Link {
  readonly link: string
  readonly expires: string
}

const ANOTHER_LINK = 'Ask the admin who has sent it for another one.'

export const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

const expiry = (service: Service, ms: number) => new Date(service.now().getTime() + ms).toISOString()

/** A link to a page of ours, which begins the authorization in the browser that opens it. */
export function connectLink(service: Service, asked: Asked, publicUrl: string): Link {
  return { link: `${publicUrl}/connect/${service.tickets.issue('connect link', asked, LINK_MS)}`, expires: expiry(service, LINK_MS) }
}

/** What a link asks for that has neither expired nor connected an account yet. */
export async function askedByLink({ tickets }: Service, ticket: string): Promise<Asked> {
  const asked = await tickets.unredeemed<Asked>('connect link', ticket)
  if (asked) return asked
  throw new CrmError('not_found', 'This link has expired, was used already, or was not made here.', { hint: ANOTHER_LINK })
}

/** Of several visits with one link, the first that succeeds alone connects. */
export async function redeemLink({ tickets }: Service, { ticket }: AuthorizationState): Promise<void> {
  if (ticket === undefined || (await tickets.redeem('connect link', ticket))) return
  throw new CrmError('conflict', 'This link has expired, or was used already.', { hint: ANOTHER_LINK })
}

/** The address at which a person allows us in, and comes back from to `redirectUri`. */
export async function authorizationAddress(service: Service, asked: Asked, redirectUri: string, visit?: Visit): Promise<Link> {
  const { authorization } = await authorizationOf(service, asked)
  const verifier = randomBytes(32).toString('base64url')
  const content: AuthorizationState = { ...asked, verifier, redirectUri, ...(visit && { ticket: visit.ticket, browser: digest(visit.secret) }) }
  const state = service.tickets.issue('connect state', content, STATE_MS)
  return { link: authorization.address({ redirectUri, state, challenge: digest(verifier) }), expires: expiry(service, STATE_MS) }
}

/** Whether the browser that brings a state back is the one that began it, by the secret that it holds. */
export const isSameBrowser = ({ browser }: AuthorizationState, browserSecret: string | undefined): boolean =>
  browser === undefined || (browserSecret !== undefined && digest(browserSecret) === browser)

/** The connection that is to be authorized, and how. */
export async function authorizationOf(
  service: Service,
  { workspace, connectionId }: Asked,
): Promise<{ connection: StoredConnection; authorization: AccountAuthorization }> {
  const connection = await getRecord(service.store.reader(workspace), Connection, connectionId)
  if (!connection) throw new CrmError('not_found', 'The connection has been deleted.')
  refuseOtherSignIn(connection)
  const authorization = await service.accounts?.authorization(settingsOf(service, workspace, connection))
  if (authorization) return { connection, authorization }
  throw new CrmError('unsupported', `${connection.Platform} cannot be allowed in a browser.`, { hint: 'Give the connection the secrets of an API user.' })
}

function refuseOtherSignIn({ Configured, SignIn }: StoredConnection): void {
  if (Configured)
    throw new CrmError('unsupported', 'This connection comes from the configuration, and signs in with the secrets of the environment.', {
      hint: 'Create another with create_connection.',
    })
  if (SignIn !== 'browser')
    throw new CrmError('unsupported', 'This connection signs in with its secrets, not by a person in a browser.', {
      hint: 'Create another with SignIn: "browser", or give this one other Secrets with update_connection.',
    })
}

/** The admin who has asked for an authorization, as a caller; refuses where they may no longer. */
export async function askedBy(service: Service, { workspace: number, userId }: Asked): Promise<Caller> {
  const workspace = await service.store.workspace(number)
  const user = workspace && (await getRecord(service.store.reader(number), User, userId))
  if (workspace) refuseState(workspace)
  if (!workspace || !user?.Active || user.Role !== 'admin')
    throw new CrmError('forbidden', 'The admin who has asked for this connection may no longer make it.', { hint: 'Ask an admin for another link.' })
  return callerOf(service, workspace, user, { keyId: null, scopes: ['admin'], expires: null, confirms: null })
}

/** The address at which browsers reach the service: the configured one, or that of the request. */
export function publicUrlOf({ publicUrl }: Service, asked: (() => string) | undefined): string {
  const url = publicUrl ?? asked?.()
  if (url !== undefined) return url
  throw new CrmError('unsupported', 'There is no address at which a browser would reach the service.', {
    hint: 'Give CRM_PUBLIC_URL, run crm connect, or give a RedirectURI on this machine.',
  })
}

/** Codes are sent to this machine alone, or to the service itself. */
export function loopback({ operation }: Context, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname) && `${url.search}${url.hash}${url.username}` === ''
  if (isLocal) return address
  const message = 'RedirectURI must be an address on this machine.'
  throw refuse(operation, [{ field: 'RedirectURI', code: 'form', message, expected: 'an address such as http://127.0.0.1:8488/callback' }])
}
