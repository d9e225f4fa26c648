import { CrmError } from '../../contract/errors.ts'
import { TIERS } from '../../contract/operation.ts'
import type { Role } from '../../contract/records/user.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import type { Caller, Service } from '../service.ts'
import { activeAdmins } from './admins.ts'
import { digestOf, sameDigest } from './keys.ts'

/** So many callers are remembered at once. */
const REMEMBERED = 10_000

/** Answers with the caller a key belongs to, at once where the key has been seen before, or throws `unauthenticated`. */
export type Authenticate = (key: string) => Caller | Promise<Caller>

/** Knows callers by their keys. What was learned is kept until a user or key changes, here or in another process. */
export function createAuthenticator(service: Service): Authenticate {
  const known = new Map<string, Caller>()
  let version: number | undefined

  async function learn(key: string, current: number): Promise<Caller> {
    const caller = unlessExpired(await callerByDigest(service, digestOf(key)))
    if (known.size >= REMEMBERED) known.clear()
    if (version === current) known.set(key, caller)
    return caller
  }

  function unlessExpired(caller: Caller): Caller {
    if (caller.expires !== null && caller.expires <= service.now().toISOString()) throw refused('This key has expired.')
    return caller
  }

  return (key) => {
    const current = service.store.accessVersion()
    if (current !== version) {
      known.clear()
      version = current
    }
    const caller = known.get(key)
    return caller ? unlessExpired(caller) : learn(key, current)
  }
}

async function callerByDigest(service: Service, digest: string): Promise<Caller> {
  const found = await service.store.keyByDigest(digest)
  if (!found || !sameDigest(found.key.Digest as string, digest)) throw refused('This key is not known.')
  return keyCaller(service, found.workspace, found.key, found.user)
}

/** Whom a key stands for. Throws `unauthenticated` once either may no longer be used. */
export async function keyCaller(service: Service, workspace: Workspace, key: StoredRecord, user: StoredRecord): Promise<Caller> {
  if (key.RevokedDate !== null) throw refused('This key has been revoked.')
  if (user.Active !== true) throw refused('The user of this key is not active.')
  return callerOf(service, workspace, user, {
    keyId: key.KeyID as string,
    scopes: key.Scopes as unknown as string[],
    expires: key.ExpiresDate as string | null,
    confirms: key.Confirm === 'deletes',
  })
}

/** A user as a caller, with what a key of theirs allows. */
export async function callerOf(
  service: Service,
  workspace: Workspace,
  user: StoredRecord,
  key: Pick<Caller, 'keyId' | 'scopes' | 'expires' | 'confirms'>,
): Promise<Caller> {
  const role = user.Role as Role
  const userId = user.UserID as string
  const below = role === 'manager' ? await service.store.usersBelow(workspace.number, userId) : []
  return {
    workspace,
    userId,
    platformUserId: user.PlatformUserID as string | null,
    role,
    ...key,
    sees: role === 'admin' ? undefined : new Set([userId, ...below]),
  }
}

/** The first active admin of a workspace, for whoever can open the store itself. */
export async function localAdmin(service: Service, workspaceName = 'default'): Promise<Caller> {
  const workspaces = await service.store.workspaces()
  const workspace = workspaces.find(({ name }) => name === workspaceName)
  if (!workspace)
    throw new CrmError('not_found', `There is no workspace ${JSON.stringify(workspaceName)}.`, {
      hint: `There are: ${workspaces.map(({ name }) => name).join(', ')}.`,
    })
  const { records } = await activeAdmins(service.store.reader(workspace.number))
  const [admin] = records
  if (!admin) throw new CrmError('not_found', `The workspace ${JSON.stringify(workspaceName)} has no active admin.`)
  return callerOf(service, workspace, admin, { keyId: null, scopes: TIERS, expires: null, confirms: false })
}

function refused(message: string): CrmError {
  return new CrmError('unauthenticated', message, { hint: 'Send a valid key as: Authorization: Bearer KEY' })
}
