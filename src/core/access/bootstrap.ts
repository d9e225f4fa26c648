import { CrmError } from '../../contract/errors.ts'
import { TIERS } from '../../contract/operation.ts'
import { Key } from '../../contract/records/key.ts'
import { User } from '../../contract/records/user.ts'
import type { Reader, Writer } from '../../platforms/platform.ts'
import { findRecords, newRecord, nextRevision } from '../call/records.ts'
import type { Service } from '../service.ts'
import { activeAdmins } from './admins.ts'
import { digestOf, newKey } from './keys.ts'

export const DEFAULT_WORKSPACE = 'default'
const GIVEN_KEY_LABEL = 'CRM_ADMIN_KEY'

/**
 * Makes sure that the first workspace has an admin. Resolves to the key of a new admin, and to undefined where there was one
 * already. `keep` receives the key before it is committed, so that it can never be valid and lost.
 */
export async function bootstrap(service: Service, options: { adminKey?: string; keep?: (key: string) => void } = {}): Promise<{ key: string | undefined }> {
  const { store } = service
  const [first] = (await store.workspaces()).filter(({ name }) => name === DEFAULT_WORKSPACE)
  if (first && options.adminKey === undefined && (await hasUsers(store.reader(first.number)))) return { key: undefined }
  const workspace = first ?? (await store.addWorkspace(DEFAULT_WORKSPACE)) ?? (await store.workspaces()).find(({ name }) => name === DEFAULT_WORKSPACE)
  if (!workspace) throw new CrmError('internal', 'The store has no workspace.')
  const make = () =>
    store.write(workspace.number, async (writer) => {
      await writer.lockWorkspace()
      if (options.adminKey !== undefined) {
        await acceptGivenKey(writer, options.adminKey)
        return { key: options.adminKey }
      }
      return { key: (await hasUsers(writer)) ? undefined : await firstAdmin(writer, newKey(), 'first admin', options.keep) }
    })
  return make().catch((error) => {
    // A second run finds what the first has committed, so it is safe when the outcome of the commit is unknown.
    if (store.classify(error)?.code === 'outcome_unknown') return make()
    throw error
  })
}

async function hasUsers(reader: Reader): Promise<boolean> {
  const { records } = await reader.find(User.name, { where: [], order: { field: 'CreatedDate', descending: false }, limit: 1 })
  return records.length > 0
}

/** Creates another workspace with its first admin. */
export async function addWorkspace(service: Service, name: string): Promise<{ key: string }> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(name)) {
    const message = 'A workspace name is letters, digits, - and _, at most 80, beginning with a letter or digit.'
    throw new CrmError('invalid_input', message, { errors: [{ field: 'NAME', code: 'form', message }] })
  }
  const workspace = await service.store.addWorkspace(name)
  if (!workspace) throw new CrmError('conflict', `There is already a workspace called ${JSON.stringify(name)}.`)
  return { key: await service.store.write(workspace.number, (writer) => firstAdmin(writer, newKey(), 'first admin')) }
}

async function firstAdmin(writer: Writer, key: string, label: string, keep?: (key: string) => void): Promise<string> {
  const admin = newRecord(User, writer.newId(), { Name: 'Admin', Role: 'admin' })
  await writer.create(User.name, admin)
  keep?.(key)
  await writer.create(Key.name, newRecord(Key, writer.newId(), { UserID: admin.UserID, Label: label, Scopes: TIERS, Digest: digestOf(key) }))
  return key
}

/** Makes the key from the configuration valid, and revokes the one that it replaces. */
async function acceptGivenKey(writer: Writer, key: string): Promise<void> {
  const digest = digestOf(key)
  const earlier = await findRecords(writer, Key, {
    where: [{ field: 'Label', family: 'text', operator: 'eq', value: GIVEN_KEY_LABEL }],
    order: { field: 'CreatedDate', descending: false },
    limit: 1000,
  })
  const at = writer.now()
  let present = false
  for (const old of earlier) {
    const same = old.Digest === digest
    present ||= same
    if (same === (old.RevokedDate === null)) continue
    await writer.update(Key.name, old.KeyID, { RevokedDate: same ? null : at, ...nextRevision(old, at) })
  }
  if (present) return
  const [admin] = await activeAdmins(writer)
  if (!admin) {
    await firstAdmin(writer, key, GIVEN_KEY_LABEL)
    return
  }
  await writer.create(Key.name, newRecord(Key, writer.newId(), { UserID: admin.UserID, Label: GIVEN_KEY_LABEL, Scopes: TIERS, Digest: digest }))
}
