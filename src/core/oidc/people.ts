import { LIMITS } from '../../contract/limits.ts'
import { WORKSPACE_TIERS } from '../../contract/operation.ts'
import { Key } from '../../contract/records/key.ts'
import { type Role, User } from '../../contract/records/user.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter, Workspace } from '../../platforms/store.ts'
import { activeAdmins } from '../access/admins.ts'
import { digestOf, newKey } from '../access/keys.ts'
import { findRecords, newRecord, nextRevision, type RecordOf } from '../call/records.ts'
import { type By, changeTo, lineOf } from '../journal/changes.ts'
import type { Service } from '../service.ts'
import { SignInRefusal } from './refusal.ts'
import { type Claims, grantFor, verifiedEmail } from './rules.ts'
import type { OidcSettings } from './settings.ts'

/** The longest subject that OpenID Connect allows. */
const SUBJECT = 255

const SIGN_IN = 'sign_in'

export interface StartedSession {
  /** The secret of its key. */
  readonly secret: string
  readonly workspace: Workspace
  readonly userId: string
}

/**
 * Signs a person in: finds or creates their user, gives it the role that the rules say, and starts a session, in one transaction. A session is a key, so that
 * it ends with its user, is cached and revoked like any other.
 */
export async function signInPerson(
  service: Service,
  settings: OidcSettings,
  { claims, idToken }: { readonly claims: Claims; readonly idToken: string },
  requestId: string,
): Promise<StartedSession> {
  const { store, vault } = service
  const grant = grantFor(claims, settings)
  if (!grant) throw new SignInRefusal('unknown', 'no rule matches')
  const workspace = (await store.workspaces()).find(({ name }) => name === grant.workspace)
  if (!workspace) throw new SignInRefusal('workspace', `there is no workspace ${JSON.stringify(grant.workspace)}`)
  const identity = identityOf(claims)

  return store.write(workspace.number, async (writer) => {
    await writer.lockWorkspace()
    const by: Omit<By, 'userId'> = { keyId: null, transport: 'http', operation: SIGN_IN, requestId, idempotencyKey: null }
    const user = await userOf(writer, settings, { identity, claims, role: grant.role }, by)
    const secret = newKey()
    const made = writer.newId()
    const key = newRecord(Key, made, {
      UserID: user.UserID,
      Label: `Session of ${user.Name}`.slice(0, LIMITS.text),
      Scopes: scopesOf(grant.role),
      Kind: 'session',
      ExpiresDate: new Date(service.now().getTime() + settings.sessionMs).toISOString(),
      // Without a key to seal with it is not stored: the issuer then asks whether to sign out.
      IDToken: vault.sealingKey() === undefined ? null : vault.seal(idToken, { workspace: workspace.number, type: Key.name, id: made.id, field: 'IDToken' }),
      Digest: digestOf(secret),
    })
    await writer.create(Key.name, key)
    await writer.appendAuditLine(lineOf(changeTo(Key, 'created', null, key), { ...by, userId: user.UserID }))
    return { secret, workspace, userId: user.UserID }
  })
}

const scopesOf = (role: Role) => WORKSPACE_TIERS.filter((tier) => tier !== 'admin' || role === 'admin')

function identityOf({ iss, sub }: Claims): string {
  if (typeof iss !== 'string' || typeof sub !== 'string' || !/^[\x20-\x7e]+$/.test(sub) || sub.length > SUBJECT)
    throw new SignInRefusal('invalid', 'the subject is not of the form that OpenID Connect allows')
  return `${iss}#${sub}`
}

interface Person {
  readonly identity: string
  readonly claims: Claims
  readonly role: Role
}

/** The user of a person, with the role that they have from now on. */
async function userOf(writer: StoreWriter, { linkByEmail }: OidcSettings, person: Person, by: Omit<By, 'userId'>): Promise<RecordOf<typeof User>> {
  const { identity, claims, role } = person
  const email = verifiedEmail(claims)
  const user = (await one(writer, 'Identity', identity)) ?? (linkByEmail && email !== undefined ? await unlinked(writer, email) : undefined)
  if (!user) {
    const created = newRecord(User, writer.newId(), { Name: nameIn(claims), Email: email ?? null, Role: role, Identity: identity })
    await writer.create(User.name, created)
    await writer.appendAuditLine(lineOf(changeTo(User, 'created', null, created), { ...by, userId: created.UserID }))
    return created
  }
  if (!user.Active) throw new SignInRefusal('inactive', `the user ${user.UserID} is not active`)
  if (user.Role === 'admin' && role !== 'admin' && (await activeAdmins(writer)).length < 2) throw new SignInRefusal('last-admin')
  if (user.Role === role && user.Identity === identity) return user
  const applied: StoredRecord = { Role: role, Identity: identity, ...nextRevision(user, writer.now()) }
  const after = { ...user, ...applied } as RecordOf<typeof User>
  await writer.update(User.name, user.UserID, applied)
  await writer.appendAuditLine(lineOf(changeTo(User, 'updated', user, after), { ...by, userId: user.UserID }))
  return after
}

async function one(writer: StoreWriter, field: 'Identity' | 'Email', value: string): Promise<RecordOf<typeof User> | undefined> {
  const found = await withValue(writer, field, value)
  return found.length === 1 ? found[0] : undefined
}

const withValue = (writer: StoreWriter, field: 'Identity' | 'Email', value: string) =>
  findRecords(writer, User, { where: [{ field, family: 'text', operator: 'eq', value }], order: { field: 'CreatedDate', descending: false }, limit: 2 })

/** The only user with this e-mail address, unless another person is linked to it. */
async function unlinked(writer: StoreWriter, email: string): Promise<RecordOf<typeof User> | undefined> {
  const user = await one(writer, 'Email', email)
  return user?.Identity === null ? user : undefined
}

function nameIn({ name, preferred_username, email, sub }: Claims): string {
  const texts = [name, preferred_username, email, sub].map((text) => (typeof text === 'string' ? text.replace(/\p{C}/gu, '').trim() : ''))
  return (texts.find((text) => text !== '') ?? 'Unnamed').slice(0, LIMITS.text)
}
