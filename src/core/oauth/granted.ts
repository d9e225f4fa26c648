import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Key } from '../../contract/records/key.ts'
import { covers, notFound } from '../access/access.ts'
import { findRecords, getRecord } from '../call/records.ts'
import type { Caller, Service } from '../service.ts'
import { revokeGrant } from './grants.ts'

/** A program that a person has let in. */
export interface Granted {
  readonly KeyID: string
  readonly Client: string
  readonly ClientID: string
  readonly Resource: string
  readonly Scopes: readonly string[]
  readonly Confirm: boolean
  readonly CreatedDate: string
  /** Until then it may renew its token. */
  readonly Until: string
}

/** What a person has granted in the workspace and not withdrawn, the latest first. What an admin sees of it is get_many_keys. */
export async function grantedBy({ store, now }: Service, { workspace, userId }: Caller): Promise<readonly Granted[]> {
  const at = now().toISOString()
  const keys = await findRecords(store.reader(workspace.number), Key, {
    where: [
      { field: 'UserID', family: 'text', operator: 'eq', value: userId },
      { field: 'Kind', family: 'text', operator: 'eq', value: 'token' },
      { field: 'RevokedDate', family: 'timestamp', operator: 'eq', value: null },
      { field: 'RenewableUntil', family: 'timestamp', operator: 'gt', value: at },
    ],
    order: { field: Key.createdField, descending: true },
    limit: LIMITS.page,
  })
  return keys
    .filter(({ RefreshDigest, ExpiresDate }) => RefreshDigest !== null || (ExpiresDate ?? '') > at)
    .map(({ KeyID, Label, ClientID, Resource, Scopes, Confirm, CreatedDate, RenewableUntil }) => ({
      KeyID,
      Client: Label ?? '',
      ClientID: ClientID ?? '',
      Resource: Resource ?? '',
      Scopes,
      Confirm: Confirm !== null,
      CreatedDate,
      Until: RenewableUntil ?? '',
    }))
}

/** Revokes what a person has granted themselves; with a key only what that key could have granted. */
export async function withdraw({ store }: Service, caller: Caller, keyId: string, requestId: string): Promise<void> {
  await store.write(caller.workspace.number, async (writer) => {
    const key = await getRecord(writer, Key, keyId)
    if (key?.Kind !== 'token' || key.UserID !== caller.userId) throw notFound(Key, keyId)
    if (!caller.session && key.Scopes.some((scope) => !covers(caller.scopes, scope)))
      throw new CrmError('forbidden', 'Your key allows less than this program may do.', { hint: 'Sign in with one that allows as much.' })
    if (key.RevokedDate === null) await revokeGrant(writer, key, caller, requestId)
  })
}
