import { Key } from '../../contract/records/key.ts'
import { User } from '../../contract/records/user.ts'
import { callerOf } from '../access/authenticate.ts'
import { isServed } from '../access/served.ts'
import { getRecord } from '../call/records.ts'
import type { Caller, Service } from '../service.ts'
import { sessionScopes } from './sessions.ts'
import { userWith } from './users.ts'

/**
 * The person of a session as a caller in each of their workspaces: those that the rules gave them at this sign-in, which are served and in which the user of
 * the same identity is active. A user of an earlier sign-in, whom no rule matches any more, is not among them. A key is for one workspace.
 */
export async function callersOf(service: Service, caller: Caller): Promise<readonly Caller[]> {
  if (!caller.session || caller.keyId === null) return [caller]
  const reader = service.store.reader(caller.workspace.number)
  const [key, user] = [await getRecord(reader, Key, caller.keyId), await getRecord(reader, User, caller.userId)]
  const identity = user?.Identity ?? null
  if (!key?.Workspaces || identity === null) return [caller]
  const own = caller.workspace.name
  const found = await Promise.all(key.Workspaces.map((name) => (name === own ? caller : callerIn(service, name, identity, caller))))
  return found.filter((one) => one !== undefined)
}

async function callerIn(service: Service, name: string, identity: string, { expires, confirms }: Caller): Promise<Caller | undefined> {
  const workspace = await service.store.workspace(name)
  if (!workspace || !isServed(workspace)) return undefined
  const user = await userWith(service.store.reader(workspace.number), 'Identity', identity)
  return user?.Active ? callerOf(service, workspace, user, { keyId: null, scopes: sessionScopes(user.Role), expires, session: true, confirms }) : undefined
}
