import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { WORKSPACE_TIERS } from '../../contract/operation.ts'
import { Key } from '../../contract/records/key.ts'
import { type Role, User } from '../../contract/records/user.ts'
import type { Workspace } from '../../platforms/store.ts'
import { digestOf, newKey } from '../access/keys.ts'
import { openOrNull } from '../access/sealed-records.ts'
import { getRecord, newRecord, nextRevision } from '../call/records.ts'
import { type By, changeTo, lineOf } from '../journal/changes.ts'
import type { Caller, Service } from '../service.ts'
import { SignInRefusal } from './refusal.ts'

export interface StartedSession {
  /** The secret of its key. */
  readonly secret: string
  readonly workspace: Workspace
  readonly userId: string
  readonly expires: string
}

interface Beginning extends Pick<StartedSession, 'workspace' | 'userId' | 'expires'> {
  readonly idToken: string | null
  /** What it allows; all that the role does unless given. */
  readonly scopes?: readonly string[]
  /** The names of the workspaces that the person has, this one among them. */
  readonly workspaces: readonly string[]
}

/** What a session allows: all that the role does in its workspace. */
export const sessionScopes = (role: Role): string[] => WORKSPACE_TIERS.filter((tier) => tier !== 'admin' || role === 'admin')

/** Starts a session. It is a key, so that it ends with its user, is cached and revoked like any other. */
export async function beginSession(
  { store, vault }: Service,
  { workspace, userId, expires, idToken, workspaces, scopes }: Beginning,
  requestId: string,
): Promise<StartedSession> {
  const { number } = workspace
  const secret = newKey()
  await store.write(number, async (writer) => {
    const user = await getRecord(writer, User, userId)
    if (!user?.Active) throw new SignInRefusal('inactive', `the user ${userId} is not active`)
    const made = writer.newId()
    const key = newRecord(Key, made, {
      UserID: userId,
      Label: `Session of ${user.Name}`.slice(0, LIMITS.text),
      Scopes: scopes ?? sessionScopes(user.Role),
      Kind: 'session',
      ExpiresDate: expires,
      // Without a key to seal with it is not stored: the issuer then asks whether to sign out.
      IDToken:
        idToken === null || vault.sealingKey() === undefined ? null : vault.seal(idToken, { workspace: number, type: Key.name, id: made.id, field: 'IDToken' }),
      Workspaces: workspaces,
      Digest: digestOf(secret),
    })
    await writer.create(Key.name, key)
    await writer.appendAuditLine(lineOf(changeTo(Key, 'created', null, key), by('sign_in', { userId, keyId: null }, requestId)))
  })
  return { secret, workspace, userId, expires }
}

/** Revokes the key of a session. Resolves to what it had: its workspaces, and the ID token with which it began, where that was stored. */
async function revokeSession(service: Service, caller: Caller, requestId: string): Promise<Pick<Beginning, 'idToken' | 'workspaces'> | undefined> {
  return service.store.write(caller.workspace.number, async (writer) => {
    const key = caller.keyId === null ? undefined : await getRecord(writer, Key, caller.keyId)
    if (key?.Kind !== 'session' || key.RevokedDate !== null) return undefined
    const idToken = key.IDToken === null ? null : openOrNull({ service, caller }, Key, key, 'IDToken')
    const applied = { RevokedDate: writer.now(), IDToken: null, ...nextRevision(key, writer.now()) }
    await writer.update(Key.name, key.KeyID, applied)
    await writer.appendAuditLine(lineOf(changeTo(Key, 'revoked', key, { ...key, ...applied }), by('sign_out', caller, requestId)))
    return { idToken, workspaces: key.Workspaces ?? [] }
  })
}

/** Ends a session. Resolves to the ID token with which it began, where that was stored. */
export async function endSession(service: Service, caller: Caller, requestId: string): Promise<string | undefined> {
  return (await revokeSession(service, caller, requestId))?.idToken ?? undefined
}

/** Ends a session, and begins one of the same person in another workspace, which ends when this one would have. Of several attempts at once one succeeds. */
export async function moveSession(service: Service, from: Caller, to: Caller, requestId: string): Promise<StartedSession> {
  const had = await revokeSession(service, from, requestId)
  if (!had) throw new CrmError('unauthenticated', 'This session has ended.', { hint: 'Sign in again.' })
  return beginSession(service, { ...had, workspace: to.workspace, userId: to.userId, expires: from.expires as string }, requestId)
}

export const by = (operation: 'sign_in' | 'sign_out', { userId, keyId }: Pick<By, 'userId' | 'keyId'>, requestId: string): By => ({
  userId,
  keyId,
  transport: 'http',
  operation,
  requestId,
  idempotencyKey: null,
})
