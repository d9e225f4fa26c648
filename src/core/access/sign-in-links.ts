import { CrmError } from '../../contract/errors.ts'
import { beginSession, type StartedSession } from '../oidc/sessions.ts'
import type { Service } from '../service.ts'
import { localAdmin } from './authenticate.ts'
import { createTickets } from './tickets.ts'

/** How long a link can be used. */
const LINK_MS = 3_600_000

interface Content {
  readonly workspace?: string | undefined
  /** That workspace alone: not another that has got its name since. */
  readonly number?: number | undefined
}

/**
 * A link with which the admin of a workspace signs in to the console at an address, once. Only a process with direct access to the store can make one. The
 * ticket is in the fragment, which browsers send to no server, so that no log has it.
 */
export async function signInLink(service: Service, address: string, workspace?: string): Promise<string> {
  await localAdmin(service, workspace)
  return `${address}/#/sign-in/${createSignInTicket(service, workspace)}`
}

/** What stands in a link; for an address that is already open. */
export const createSignInTicket = ({ store }: Service, workspace?: string, number?: number): string =>
  createTickets(store).issue('sign-in link', { workspace, number } satisfies Content, LINK_MS)

/** Starts the session of a link, with all rights of the admin. */
export async function redeemSignInLink(service: Service, ticket: string, sessionMs: number, requestId: string): Promise<StartedSession> {
  const content = await createTickets(service.store).redeem<Content>('sign-in link', ticket)
  if (!content) throw unusable()
  const { workspace, userId, scopes } = await localAdmin(service, content.workspace)
  if (content.number !== undefined && content.number !== workspace.number) throw unusable()
  const expires = new Date(service.now().getTime() + sessionMs).toISOString()
  return beginSession(service, { workspace, userId, expires, scopes, idToken: null, workspaces: [workspace.name] }, requestId)
}

const unusable = () =>
  new CrmError('unauthenticated', 'This sign-in link was used already, or has expired.', { hint: 'Print another where the service runs: npx crm sign-in' })
