import { CrmError } from '../../contract/errors.ts'
import { TIERS } from '../../contract/operation.ts'
import { Key } from '../../contract/records/key.ts'
import { User } from '../../contract/records/user.ts'
import type { Reader, Writer } from '../../platforms/platform.ts'
import { findRecords, newRecord, nextRevision } from '../call/records.ts'
import type { Service } from '../service.ts'
import { activeAdmins } from './admins.ts'
import { digestOf, newKey } from './keys.ts'
import { firstAdmin } from './new-workspace.ts'

export const DEFAULT_WORKSPACE = 'default'
const GIVEN_KEY_LABEL = 'CRM_ADMIN_KEY'

/**
 * Makes sure that the first workspace has an admin. Resolves to the key of a new admin, and to undefined where there was one
 * already. `keep` receives the key before it is committed, so that it can never be valid and lost.
 */
export async function bootstrap(service: Service, options: { adminKey?: string; keep?: (key: string) => void } = {}): Promise<{ key: string | undefined }> {
  const { store } = service
  const first = await store.workspace(DEFAULT_WORKSPACE)
  if (first && options.adminKey === undefined && (await hasUsers(store.reader(first.number)))) return { key: undefined }
  const workspace = first ?? (await store.addWorkspace(DEFAULT_WORKSPACE)) ?? (await store.workspace(DEFAULT_WORKSPACE))
  if (!workspace) throw new CrmError('internal', 'The store has no workspace.')
  const make = () =>
    store.write(workspace.number, async (writer) => {
      await writer.lockWorkspace()
      if (options.adminKey !== undefined) {
        await acceptGivenKey(writer, options.adminKey)
        return { key: options.adminKey }
      }
      return { key: (await hasUsers(writer)) ? undefined : await newAdmin(writer, newKey(), options.keep) }
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

async function newAdmin(writer: Writer, key: string, keep: ((key: string) => void) | undefined): Promise<string> {
  await firstAdmin(writer, key, { scopes: TIERS, keep })
  return key
}

/** Makes the key from the configuration valid for everything, and revokes the one that it replaces. */
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
    if (same === (old.RevokedDate === null) && (!same || old.Scopes.length === TIERS.length)) continue
    await writer.update(Key.name, old.KeyID, { RevokedDate: same ? null : (old.RevokedDate ?? at), ...(same && { Scopes: TIERS }), ...nextRevision(old, at) })
  }
  if (present) return
  const [admin] = await activeAdmins(writer)
  if (!admin) {
    await firstAdmin(writer, key, { label: GIVEN_KEY_LABEL, scopes: TIERS })
    return
  }
  await writer.create(Key.name, newRecord(Key, writer.newId(), { UserID: admin.UserID, Label: GIVEN_KEY_LABEL, Scopes: TIERS, Digest: digest }))
}
