import { CrmError, type Fault } from '../../contract/errors.ts'
import { Key } from '../../contract/records/key.ts'
import { type Confirm, strictest } from '../../contract/records/plan.ts'
import { type Role, User } from '../../contract/records/user.ts'
import type { Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import { covers, notFound, roleAllows } from '../access/access.ts'
import { activeAdmins } from '../access/admins.ts'
import { digestOf, newKey } from '../access/keys.ts'
import { readScope } from '../access/read-scope.ts'
import { refuseBeyondLimit } from '../access/workspace-limits.ts'
import { refuse } from '../call/check.ts'
import { findRecords, hasValues, newRecord, nextRevision, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import type { Caller } from '../service.ts'
import { checkRevision, visible, visibleUser } from './context.ts'
import { withPlatformUser } from './platform-users.ts'

export async function getCurrentUser(context: Context): Promise<unknown> {
  const { caller, binding } = context
  const user = await binding.store.reader(caller.workspace.number).get(User.name, caller.userId)
  return {
    ...user,
    Workspace: caller.workspace.name,
    KeyID: caller.keyId,
    Scopes: caller.scopes,
    ExpiresDate: caller.expires,
    Confirm: caller.confirms,
  }
}

export async function createUser(context: Context): Promise<Prepared> {
  const input = await withPlatformUser(context, context.input)
  return {
    on: User,
    async work(writer) {
      await refuseBeyondLimit(context, writer, 'users')
      if (typeof input.ManagerID === 'string' && !(await writer.getForReference(User.name, input.ManagerID))) throw notFound(User, input.ManagerID, 'ManagerID')
      const user = newRecord(User, writer.newId(), input)
      await writer.create(User.name, user)
      return { answer: user, change: changeTo(User, 'created', null, user) }
    },
  }
}

export async function updateUser(context: Context): Promise<Prepared> {
  const { input } = context
  const changes = await withPlatformUser(context, input.FieldsToUpdate as StoredRecord, 'FieldsToUpdate.')
  return {
    on: User,
    async work(writer) {
      await writer.lockWorkspace()
      const user = await visible(writer, context, User)
      checkRevision(context.service.store, user, User, input.IfRevision)
      if (typeof changes.ManagerID === 'string') await refuseCircle(writer, user.UserID, changes.ManagerID)
      const losesAdmin = (changes.Role !== undefined && changes.Role !== 'admin') || changes.Active === false
      if (changes.Active === true && user.Active === false) await refuseBeyondLimit(context, writer, 'users')
      if (losesAdmin && user.Role === 'admin' && user.Active === true) await refuseLastAdmin(writer)
      if (hasValues(user, changes)) return { answer: { ...user, UpdatedFields: [] } }
      const applied = { ...changes, ...nextRevision(user, writer.now()) }
      await writer.update(User.name, user.UserID, applied)
      const after = { ...user, ...applied }
      return { answer: { ...after, UpdatedFields: Object.keys(changes) }, change: changeTo(User, 'updated', user, after) }
    },
  }
}

async function refuseCircle(writer: Writer, userId: string, managerId: string): Promise<void> {
  const field = 'FieldsToUpdate.ManagerID'
  let above: string | null = managerId
  for (let first = true; above !== null; first = false) {
    if (above === userId) {
      const message = 'Managers may not form a circle: this manager is the user, or reports to them.'
      throw new CrmError('conflict', message, { errors: [{ field, code: 'conflict', message }] })
    }
    const manager = (await writer.getForReference(User.name, above)) as RecordOf<typeof User> | undefined
    if (!manager && first) throw notFound(User, managerId, field)
    above = manager?.ManagerID ?? null
  }
}

async function refuseLastAdmin(reader: Reader): Promise<void> {
  const [, second] = await activeAdmins(reader)
  if (!second) throw new CrmError('conflict', 'This is the last active admin of the workspace; make another one first.')
}

const DEFAULT_SCOPES = ['read', 'write']

/** Creates a key, for the caller by default. It allows no more than the key that creates it, nor than its user's role. */
export function createKey(context: Context): Prepared {
  const { service, caller, operation, input } = context
  // Otherwise an agent would keep access that was withdrawn from it.
  if (caller.resource !== undefined)
    throw new CrmError('forbidden', 'A token cannot make keys.', { hint: 'Make it with the key or the session of an admin, in the console for example.' })
  const faults: Fault[] = []
  const scopes = ((input.Scopes as string[] | undefined) ?? DEFAULT_SCOPES).flatMap((text, i) => {
    const scope = readScope(text, `Scopes.${i}`)
    if (typeof scope === 'string') return [scope]
    faults.push(scope)
    return []
  })
  if (typeof input.ExpiresDate === 'string' && input.ExpiresDate <= service.now().toISOString()) {
    faults.push({ field: 'ExpiresDate', code: 'range', message: 'ExpiresDate has already passed.', expected: 'a time in the future' })
  }

  return {
    on: Key,
    async work(writer) {
      const user = await visibleUser(context, (input.UserID as string | undefined) ?? caller.userId, 'UserID', { on: Key, writer })
      if (faults.length > 0) throw refuse(operation, faults)
      refuseBeyond(caller, user.Role, scopes)
      // A person's session ends within hours; the keys that they create for programs last.
      const latest = caller.session ? null : caller.expires
      const expires = (input.ExpiresDate as string | undefined) ?? latest
      if (latest !== null && expires !== null && expires > latest) {
        throw new CrmError('forbidden', 'A key may not outlive the key that makes it.', { hint: `This one expires at ${latest}.` })
      }
      await refuseBeyondLimit(context, writer, 'keys')
      const secret = newKey()
      const key = newRecord(Key, writer.newId(), {
        ...input,
        // A key that has to confirm its deletes creates only keys that have to.
        Confirm: strictest(input.Confirm as Confirm | undefined, caller.confirms),
        ExpiresDate: expires,
        UserID: user.UserID,
        Scopes: [...new Set(scopes)],
        Digest: digestOf(secret),
      })
      await writer.create(Key.name, key)
      return { answer: { ...shown(Key, key), Key: secret }, change: changeTo(Key, 'created', null, key) }
    },
  }
}

function refuseBeyond(caller: Caller, role: Role, scopes: readonly string[]): void {
  const beyondRole = scopes.find((scope) => !roleAllows(role, scope))
  if (beyondRole) throw new CrmError('forbidden', `A ${role} may not have the scope ${beyondRole}.`, { hint: 'Only admins may administrate.' })
  const beyondKey = scopes.find((scope) => !covers(caller.scopes, scope))
  if (beyondKey)
    throw new CrmError('forbidden', `This key may not pass on the scope ${beyondKey}.`, {
      hint: `It has ${caller.scopes.join(', ')}; a new key may have no more.`,
    })
}

/** Revokes a key, and the tokens that were granted to it. Revoking it twice changes nothing. */
export function revokeKey(context: Context): Prepared {
  return {
    on: Key,
    async work(writer) {
      const key = await visible(writer, context, Key)
      if (key.RevokedDate !== null) return { answer: shown(Key, key) }
      const also: RecordChange[] = []
      for (const token of await tokensOf(writer, key.KeyID)) also.push((await revoked(writer, token)).change)
      const { after, change } = await revoked(writer, key)
      return { answer: shown(Key, after), change, also }
    },
  }
}

async function revoked(writer: Writer, key: RecordOf<typeof Key>): Promise<{ readonly after: RecordOf<typeof Key>; readonly change: RecordChange }> {
  const applied = { RevokedDate: writer.now(), ...nextRevision(key, writer.now()) }
  await writer.update(Key.name, key.KeyID, applied)
  const after = { ...key, ...applied }
  return { after, change: changeTo(Key, 'revoked', key, after) }
}

/** The tokens of a key that are still valid. */
function tokensOf(writer: Writer, keyId: string): Promise<readonly RecordOf<typeof Key>[]> {
  return findRecords(writer, Key, {
    where: [
      { field: 'ClientID', family: 'text', operator: 'eq', value: keyId },
      { field: 'RevokedDate', family: 'timestamp', operator: 'eq', value: null },
      { field: 'ExpiresDate', family: 'timestamp', operator: 'gt', value: writer.now() },
    ],
    order: { field: Key.createdField, descending: false },
    limit: Number.MAX_SAFE_INTEGER,
  })
}
