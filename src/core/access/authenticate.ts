import { CrmError } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { TIERS } from '../../contract/operation.ts'
import type { Key } from '../../contract/records/key.ts'
import type { User } from '../../contract/records/user.ts'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import { split } from '../../contract/scopes.ts'
import { quoted } from '../../contract/visible-text.ts'
import { IdleCache } from '../../helpers/idle-cache.ts'
import type { Workspace } from '../../platforms/store.ts'
import type { RecordOf } from '../call/records.ts'
import type { Caller, Service } from '../service.ts'
import { activeAdmins } from './admins.ts'
import { digestOf, sameDigest } from './keys.ts'
import { refuseState } from './served.ts'

/** The largest number of cached callers. */
const CACHE_SIZE = 10_000

/** The caller of a key, at once if it is cached. Throws or rejects with `unauthenticated`. */
export type Authenticate = (key: string) => Caller | Promise<Caller>

interface Cached {
  readonly caller: Caller
  /** When the key expires, in milliseconds since 1970: compared with every call, where texts would take a thirtieth of its time. */
  readonly until: number | undefined
}

/** Caches callers by their keys. A change of any user or key, in this process or another, invalidates the cache. `onUse` is called with each caller. */
export function createAuthenticator(service: Service, onUse: (caller: Caller) => void = () => {}): Authenticate {
  const cache = new IdleCache<string, Cached>()
  /** Sign-ins under way: calls that arrive together with the same key load it once. */
  const loading = new Map<string, Promise<Caller>>()
  let version: number | undefined

  async function load(key: string, current: number): Promise<Caller> {
    const caller = await callerByDigest(service, digestOf(key))
    const cached = { caller, until: caller.expires === null ? undefined : Date.parse(caller.expires) }
    if (cache.size >= CACHE_SIZE) cache.clear()
    if (version === current) cache.set(key, cached)
    return usable(cached)
  }

  /** Refuses a key that has expired, and those of a workspace that is not served. */
  function usable({ caller, until }: Cached): Caller {
    if (until !== undefined && until <= service.now().getTime()) throw refused('This key has expired.')
    refuseState(caller.workspace)
    onUse(caller)
    return caller
  }

  function loadOnce(key: string, current: number): Promise<Caller> {
    const underWay = loading.get(key)
    if (underWay) return underWay
    const one = load(key, current).finally(() => loading.get(key) === one && loading.delete(key))
    loading.set(key, one)
    return one
  }

  return (key) => {
    const current = service.store.accessVersion()
    if (current !== version) {
      cache.clear()
      loading.clear()
      version = current
    }
    const cached = cache.get(key)
    return cached ? usable(cached) : loadOnce(key, current)
  }
}

async function callerByDigest(service: Service, digest: string): Promise<Caller> {
  const found = await service.store.keyByDigest(digest)
  const key = found?.key as RecordOf<typeof Key> | undefined
  if (!found || !key || !sameDigest(key.Digest, digest)) throw refused('This key is not known.')
  return keyCaller(service, found.workspace, key, found.user as RecordOf<typeof User>)
}

/** The caller of a key and its user. Throws `unauthenticated` once either may no longer be used. */
export async function keyCaller(service: Service, workspace: Workspace, key: RecordOf<typeof Key>, user: RecordOf<typeof User>): Promise<Caller> {
  if (key.RevokedDate !== null) throw refused('This key has been revoked.')
  if (!user.Active) throw refused('The user of this key is not active.')
  return callerOf(service, workspace, user, {
    keyId: key.KeyID,
    scopes: key.Scopes,
    expires: key.ExpiresDate,
    session: key.Kind === 'session',
    confirms: key.Confirm,
    ...(key.Resource !== null && { resource: key.Resource }),
  })
}

/** A user as a caller, with the rights of a key. Only the first workspace has operators, whatever a key says. */
export async function callerOf(
  service: Service,
  workspace: Workspace,
  user: RecordOf<typeof User>,
  key: Pick<Caller, 'keyId' | 'scopes' | 'expires' | 'session' | 'confirms' | 'resource'>,
): Promise<Caller> {
  const { Role: role, UserID: userId } = user
  const below = role === 'manager' ? await service.store.usersBelow(workspace.number, userId) : []
  return {
    workspace,
    userId,
    platformUserId: user.PlatformUserID,
    role,
    ...key,
    scopes: workspace.number === FIRST_WORKSPACE ? key.scopes : key.scopes.filter((scope) => split(scope)[0] !== 'operator'),
    sees: role === 'admin' ? undefined : new Set([userId, ...below]),
  }
}

/** The oldest active admin of a workspace, as which a process with direct access to the store acts. */
export async function localAdmin(service: Service, workspaceName = 'default'): Promise<Caller> {
  const workspace = await service.store.workspace(workspaceName)
  if (!workspace) throw noWorkspace(workspaceName, await service.store.workspaces())
  refuseState(workspace)
  const [admin] = await activeAdmins(service.store.reader(workspace.number))
  if (!admin) throw new CrmError('not_found', `The workspace ${quoted(workspaceName)} has no active admin.`)
  return callerOf(service, workspace, admin, { keyId: null, scopes: TIERS, expires: null, confirms: null })
}

/** How many workspaces a hint names. */
const NAMED = 20

export function noWorkspace(name: string, all: readonly Workspace[]): CrmError {
  const names = [
    ...nearest(
      name,
      all.map((one) => one.name),
    ),
    ...all.map((one) => one.name),
  ]
  const some = [...new Set(names)].slice(0, NAMED).join(', ')
  return new CrmError('not_found', `There is no workspace ${quoted(name)}.`, { hint: `There are: ${some}${all.length > NAMED ? ', and others' : ''}.` })
}

function refused(message: string): CrmError {
  return new CrmError('unauthenticated', message, { hint: 'Send a valid key as: Authorization: Bearer KEY' })
}
