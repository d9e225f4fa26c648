import { FaultError } from '../../faults.ts'
import { isObject } from '../../json.ts'
import type { Portal } from '../portal.ts'

/** Signs in the person behind an owner, whose writes then carry the user id, as those in HubSpot's own pages do. */
export function signedIn({ owners, sessions }: Portal, input: unknown): object {
  const email = isObject(input) ? input.email : undefined
  const owner = owners.find((one) => one.email === email)
  if (!owner) throw new FaultError('{"email": that of an owner} is expected.')
  return { userId: owner.userId, accessToken: sessions.beginFor(owner.userId) }
}
