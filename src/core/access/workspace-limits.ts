import { CrmError } from '../../contract/errors.ts'
import { Key } from '../../contract/records/key.ts'
import { User } from '../../contract/records/user.ts'
import { Webhook } from '../../contract/records/webhook.ts'
import type { Condition, Writer } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { findRecords } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Caller } from '../service.ts'

/** What a workspace may have only so many of. */
type Counted = Exclude<keyof Workspace['limits'], 'callsPerMinute'>

const is = (field: string, family: Condition['family'], value: null | boolean): Condition => ({ field, family, operator: 'eq', value })

/** How many there are. The workspace is locked, so that two calls cannot both add the last. */
const COUNTS: { readonly [C in Counted]: (writer: Writer, now: string) => Promise<number> } = {
  users: async (writer) => (await findRecords(writer, User, all(User.id, [is('Active', 'boolean', true)]))).length,
  keys: async (writer, now) => {
    const keys = await findRecords(writer, Key, all(Key.id, [is('RevokedDate', 'timestamp', null)]))
    return keys.filter(({ Kind, ExpiresDate }) => Kind === null && (ExpiresDate === null || ExpiresDate > now)).length
  },
  webhooks: async (writer) => (await findRecords(writer, Webhook, all(Webhook.id, []))).length,
}

const all = (field: string, where: readonly Condition[]) => ({ where, order: { field, descending: false }, limit: Number.MAX_SAFE_INTEGER })

/** Refuses another user, key or webhook where the workspace has as many as its operator allows. */
export async function refuseBeyondLimit(
  { service, caller }: Pick<Context, 'service'> & { readonly caller: Pick<Caller, 'workspace'> },
  writer: Writer,
  what: Counted,
): Promise<void> {
  const most = (await service.store.workspace(caller.workspace.number))?.limits[what] ?? null
  if (most === null) return
  await writer.lockWorkspace()
  if ((await COUNTS[what](writer, writer.now())) < most) return
  throw new CrmError('conflict', `This workspace may have ${most} ${most === 1 ? what.slice(0, -1) : what}, and has as many.`, {
    hint: `Remove one first: ${REMOVE[what]}. Or ask the operator of this service for more.`,
  })
}

const REMOVE: { readonly [C in Counted]: string } = { users: 'update_user with Active: false', keys: 'revoke_key', webhooks: 'delete_webhook' }
