import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { User } from '../../contract/records/user.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter, Workspace } from '../../platforms/store.ts'
import { activeAdmins } from '../access/admins.ts'
import { isServed } from '../access/served.ts'
import { refuseBeyondLimit } from '../access/workspace-limits.ts'
import { newRecord, nextRevision, type RecordOf } from '../call/records.ts'
import { changeTo, lineOf } from '../journal/changes.ts'
import type { Service } from '../service.ts'
import { SignInRefusal } from './refusal.ts'
import { type Claims, grantsFor, verifiedEmail } from './rules.ts'
import { beginSession, by, type StartedSession } from './sessions.ts'
import type { Grant, OidcSettings } from './settings.ts'
import { userWith } from './users.ts'

/** The longest subject that OpenID Connect allows. */
const SUBJECT = 255

interface Person {
  readonly identity: string
  readonly claims: Claims
  readonly requestId: string
}

export interface SignedIn extends StartedSession {
  /** Why workspaces that the rules name were left out. */
  readonly refusals: readonly SignInRefusal[]
}

/**
 * Signs a person in: finds or creates their user in each workspace that the rules give them, with the role that these say, and starts a session in the first
 * that lets them in.
 */
export async function signInPerson(
  service: Service,
  settings: OidcSettings,
  { claims, idToken }: { readonly claims: Claims; readonly idToken: string },
  requestId: string,
): Promise<SignedIn> {
  const grants = grantsFor(claims, settings)
  if (grants.length === 0) throw new SignInRefusal('unknown', 'no rule matches')
  const person: Person = { identity: identityOf(claims), claims, requestId }
  const joined: { readonly workspace: Workspace; readonly userId: string }[] = []
  const refusals: SignInRefusal[] = []
  for (const grant of grants) {
    try {
      joined.push(await join(service, settings, person, grant))
    } catch (error) {
      if (!(error instanceof SignInRefusal)) throw error
      refusals.push(error)
    }
  }
  const [first] = joined
  if (!first) throw refusals[0]
  const expires = new Date(service.now().getTime() + settings.sessionMs).toISOString()
  const workspaces = joined.map(({ workspace }) => workspace.name)
  return { ...(await beginSession(service, { ...first, expires, idToken, workspaces }, requestId)), refusals }
}

/** Finds or creates the user of a person in a workspace that is served. */
async function join(
  service: Service,
  settings: OidcSettings,
  person: Person,
  { workspace: name, role }: Grant,
): Promise<{ readonly workspace: Workspace; readonly userId: string }> {
  const workspace = await service.store.workspace(name)
  if (!workspace || workspace.state === 'deleting') throw new SignInRefusal('workspace', `there is no workspace ${quoted(name)}`)
  if (!isServed(workspace)) throw new SignInRefusal('paused', `the workspace ${name} is paused`)
  return service.store.write(workspace.number, async (writer) => {
    await writer.lockWorkspace()
    const { UserID: userId } = await userOf({ service, workspace, writer }, settings, person, role)
    return { workspace, userId }
  })
}

function identityOf({ iss, sub }: Claims): string {
  if (typeof iss !== 'string' || typeof sub !== 'string' || !/^[\x20-\x7e]+$/.test(sub) || sub.length > SUBJECT)
    throw new SignInRefusal('invalid', 'the subject is not of the form that OpenID Connect allows')
  return `${iss}#${sub}`
}

interface Joining {
  readonly service: Service
  readonly workspace: Workspace
  readonly writer: StoreWriter
}

/** The user of a person, with the role that they have from now on. */
async function userOf(
  { service, workspace, writer }: Joining,
  { linkByEmail }: OidcSettings,
  { identity, claims, requestId }: Person,
  role: Grant['role'],
): Promise<RecordOf<typeof User>> {
  const email = verifiedEmail(claims)
  const user = (await userWith(writer, 'Identity', identity)) ?? (linkByEmail && email !== undefined ? await unlinked(writer, email) : undefined)
  const line = (change: Parameters<typeof lineOf>[0], userId: string) => lineOf(change, by('sign_in', { userId, keyId: null }, requestId))
  if (!user) {
    await refuseBeyondLimit({ service, caller: { workspace } }, writer, 'users').catch((error) => {
      throw error instanceof CrmError && error.code === 'conflict' ? new SignInRefusal('full', `the workspace ${workspace.name} may have no more users`) : error
    })
    const created = newRecord(User, writer.newId(), { Name: nameIn(claims), Email: email ?? null, Role: role, Identity: identity })
    await writer.create(User.name, created)
    await writer.appendAuditLine(line(changeTo(User, 'created', null, created), created.UserID))
    return created
  }
  if (!user.Active) throw new SignInRefusal('inactive', `the user ${user.UserID} is not active`)
  if (user.Role === 'admin' && role !== 'admin' && (await activeAdmins(writer)).length < 2) throw new SignInRefusal('last-admin')
  if (user.Role === role && user.Identity === identity) return user
  const applied: StoredRecord = { Role: role, Identity: identity, ...nextRevision(user, writer.now()) }
  const after = { ...user, ...applied } as RecordOf<typeof User>
  await writer.update(User.name, user.UserID, applied)
  await writer.appendAuditLine(line(changeTo(User, 'updated', user, after), user.UserID))
  return after
}

/** The only user with this e-mail address, unless another person is linked to it. */
async function unlinked(writer: StoreWriter, email: string): Promise<RecordOf<typeof User> | undefined> {
  const user = await userWith(writer, 'Email', email)
  return user?.Identity === null ? user : undefined
}

function nameIn({ name, preferred_username, email, sub }: Claims): string {
  const texts = [name, preferred_username, email, sub].map((text) => (typeof text === 'string' ? text.replace(/\p{C}/gu, '').trim() : ''))
  return (texts.find((text) => text !== '') ?? 'Unnamed').slice(0, LIMITS.text)
}
