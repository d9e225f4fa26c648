import { CrmError } from '../../contract/errors.ts'
import { findOperation } from '../../contract/operations.ts'
import { mayCall } from '../../contract/scopes.ts'
import { acquireBinding } from '../call/acquire-binding.ts'
import { wrapError } from '../call/wrap-error.ts'
import type { Caller, Service } from '../service.ts'

export interface PlatformUser {
  readonly PlatformUserID: string
  readonly Name: string
}

/** The users that the CRM of the caller's workspace has of its own, linked to users of the connector or not. */
export async function listPlatformUsers(service: Service, caller: Caller): Promise<readonly PlatformUser[]> {
  if (!mayCall(caller, findOperation('get_many_users'))) throw new CrmError('forbidden', 'This key may not read users.')
  const binding = await acquireBinding(service, caller.workspace)
  try {
    const names = (await binding.platform.userNames?.()) ?? new Map<string, string>()
    return [...names].map(([PlatformUserID, Name]) => ({ PlatformUserID, Name }))
  } catch (error) {
    throw wrapError(service, { operation: 'get_many_users', input: {}, caller }, binding, error)
  } finally {
    binding.release()
  }
}
