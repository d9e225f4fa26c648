import { CrmError } from '../../contract/errors.ts'
import { TIERS } from '../../contract/operation.ts'
import { Key } from '../../contract/records/key.ts'
import { User } from '../../contract/records/user.ts'
import type { Reader, Writer } from '../../platforms/platform.ts'
import { findRecords, newRecord, nextRevision } from '../call/records.ts'
import type { Service } from '../service.ts'
import { activeAdmins } from './admins.ts'
import { digestOf, newKey } from './keys.ts'
import { firstAdmin, giveKey, newAdmin } from './new-workspace.ts'

export const DEFAULT_WORKSPACE = 'default'
const GIVEN_KEY_LABEL = 'CRM_ADMIN_KEY'

export interface BootstrapOptions {
  readonly adminKey?: string
  /** Receives the key before it is committed, so that it can never be valid and lost. */
  readonly keep?: (key: string) => void
  /** Makes no key: the admin gets one when the store is opened without this. */
  readonly keyless?: boolean
}

/** Makes sure that the first workspace has an admin with a key. Resolves to the key that was made, and to undefined where there was one already. */
export async function bootstrap(service: Service, options: BootstrapOptions = {}): Promise<{ key: string | undefined }> {
  const { store } = service
  const first = await store.workspace(DEFAULT_WORKSPACE)
  if (first && options.adminKey === undefined && (await isDone(store.reader(first.number), options))) return { key: undefined }
  const workspace = first ?? (await store.addWorkspace(DEFAULT_WORKSPACE)) ?? (await store.workspace(DEFAULT_WORKSPACE))
  if (!workspace) throw new CrmError('internal', 'The store has no workspace.')
  const make = () =>
    store.write(workspace.number, async (writer) => {
      await writer.lockWorkspace()
      if (options.adminKey !== undefined) {
        await acceptGivenKey(writer, options.adminKey)
        return { key: options.adminKey }
      }
      return { key: (await isDone(writer, options)) ? undefined : await makeAdmin(writer, options) }
    })
  return make().catch((error) => {
    // A second run finds what the first has committed, so it is safe when the outcome of the commit is unknown.
    if (store.classify(error)?.code === 'outcome_unknown') return make()
    throw error
  })
}

async function isDone(reader: Reader, { keyless }: BootstrapOptions): Promise<boolean> {
  const { records } = await reader.find(keyless ? User.name : Key.name, { where: [], order: { field: 'CreatedDate', descending: false }, limit: 1 })
  return records.length > 0
}

/** Makes the first admin and their key, or what is missing of it. */
async function makeAdmin(writer: Writer, { keep, keyless }: BootstrapOptions): Promise<string | undefined> {
  const [admin] = await activeAdmins(writer)
  const userId = admin?.UserID ?? (await newAdmin(writer))
  if (keyless) return undefined
  const key = newKey()
  await giveKey(writer, userId, key, { scopes: TIERS, keep })
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
