import { CrmError, type Fault } from '../../contract/errors.ts'
import { type Tier, WORKSPACE_TIERS } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { Key } from '../../contract/records/key.ts'
import { User } from '../../contract/records/user.ts'
import { FIRST_WORKSPACE, isWorkspaceName, WORKSPACE_NAME, Workspace } from '../../contract/records/workspace.ts'
import type { Writer } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { newRecord, type RecordOf } from '../call/records.ts'
import type { Service } from '../service.ts'
import { digestOf, newKey } from './keys.ts'

/** What a workspace is made of. */
export interface NewWorkspace {
  readonly Name: string
  readonly AdminName?: string | null
  readonly AdminEmail?: string | null
}

/** Creates the first admin of a workspace with this key. `keep` receives the key before it is committed, so that it can never be valid and lost. */
export async function firstAdmin(
  writer: Writer,
  key: string,
  { name, email, label, scopes, keep }: GivenKey & { readonly name?: string | undefined; readonly email?: string | null },
): Promise<string> {
  const userId = await newAdmin(writer, name, email)
  await giveKey(writer, userId, key, { label, scopes, keep })
  return userId
}

export async function newAdmin(writer: Writer, name = 'Admin', email: string | null = null): Promise<string> {
  const admin = newRecord(User, writer.newId(), { Name: name, Email: email, Role: 'admin' })
  await writer.create(User.name, admin)
  return admin.UserID
}

interface GivenKey {
  readonly label?: string
  readonly scopes: readonly Tier[]
  readonly keep?: ((key: string) => void) | undefined
}

/** Gives a key to the first admin. */
export async function giveKey(writer: Writer, userId: string, key: string, { label = 'first admin', scopes, keep }: GivenKey): Promise<void> {
  keep?.(key)
  await writer.create(Key.name, newRecord(Key, writer.newId(), { UserID: userId, Label: label, Scopes: scopes, Digest: digestOf(key) }))
}

/** Creates a workspace with its first admin, in one transaction of the first workspace. */
export async function newWorkspace(writer: StoreWriter, given: NewWorkspace): Promise<{ record: RecordOf<typeof Workspace>; userId: string; key: string }> {
  const record = newRecord(Workspace, writer.newId(), { ...given })
  const inside = await writer.addWorkspace(record)
  if (!inside) {
    const message = `There is already a workspace called ${quote(given.Name)}.`
    throw new CrmError('conflict', message, { errors: [{ field: 'Name', code: 'conflict', message }] })
  }
  const key = newKey()
  const userId = await firstAdmin(inside, key, { name: given.AdminName ?? undefined, email: given.AdminEmail ?? null, scopes: WORKSPACE_TIERS })
  return { record, userId, key }
}

/** The fault of a name that a workspace cannot have. */
export function nameFault(name: string, field = 'Name'): Fault | undefined {
  if (isWorkspaceName(name)) return undefined
  const small = name.toLowerCase()
  return {
    field,
    code: 'form',
    message: `A workspace name is ${WORKSPACE_NAME}.`,
    expected: WORKSPACE_NAME,
    ...(isWorkspaceName(small) && { didYouMean: small }),
  }
}

/** Creates another workspace with its first admin, without a caller. */
export async function addWorkspace(service: Service, name: string): Promise<{ key: string }> {
  const fault = nameFault(name)
  if (fault) throw new CrmError('invalid_input', fault.message, { errors: [fault] })
  return service.store.write(FIRST_WORKSPACE, (writer) => newWorkspace(writer, { Name: name }))
}
