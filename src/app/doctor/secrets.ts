import { existsSync } from 'node:fs'
import { examineConfig } from '../../config/settings.ts'
import { CrmError } from '../../contract/errors.ts'
import { countSecrets, SEALED_TYPES, type SecretCounts, type StoredSecret, sealedFields, secretsIn } from '../../core/access/sealed-records.ts'
import { createVault, keyIdOf, sealedWith, type Vault } from '../../core/access/vault.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { quoted } from '../../platforms/stores/sql/tables.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { secretKeyFile } from '../key-files.ts'
import { keysIn } from '../secret-keys.ts'
import { isPostgres } from '../store-address.ts'
import type { AskStore } from './audit.ts'
import { type DoctorInput, findingsIn } from './findings.ts'
import { modeOpenToOthers } from './permissions.ts'

/** The keys that seal secrets in the store, where they are, and whether they open what is there. A key that is missing is not made. */
export async function* secretFindings(area: string, url: string, ask: AskStore, { flags, environment }: DoctorInput): AsyncGenerator<Finding> {
  const { config } = examineConfig(flags, environment)
  if (url !== config.store) return
  const { failed } = findingsIn(area)
  const file = secretKeyFile(config)
  try {
    const inFile = file === undefined ? [] : keysIn(file)
    const vault = createVault([...config.secretKeys, ...inFile])
    const secrets = await readSecrets(ask)
    const hasSealed = secrets.some(({ text }) => sealedWith(text) !== undefined)
    yield* placeOf(area, config.secretKeys, inFile, file ?? '', { isShared: isPostgres(url), hasSealed })
    yield* stateOf(area, vault, await countSecrets(vault, secrets), secrets, isPostgres(url) && config.secretKeys.length === 0)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    yield failed('Secret keys', error, 'docs/configuration.md says what a key looks like.')
  }
}

function* placeOf(
  area: string,
  configured: readonly Buffer[],
  inFile: readonly Buffer[],
  file: string,
  { isShared, hasSealed }: { readonly isShared: boolean; readonly hasSealed: boolean },
): Generator<Finding> {
  const { good, doubtful, bad } = findingsIn(area)
  const ids = (keys: readonly Buffer[]) => keys.map(keyIdOf).join(', ')
  if (configured.length > 0) yield good('Secret keys', `${ids(configured)}, by CRM_SECRET_KEYS; the first seals`)
  if (inFile.length === 0) {
    const none = isShared ? 'none: secrets stay in plain text until CRM_SECRET_KEYS is set' : `none yet: crm serve, or the first secret, makes one in ${file}`
    if (configured.length > 0) return
    yield hasSealed && !isShared
      ? bad('Secret keys', `${file} is missing: secrets can neither be opened nor sealed.`, 'platform_unavailable', 'Put it back from a copy, and restart.')
      : good('Secret keys', none)
    return
  }
  const mode = existsSync(file) ? modeOpenToOthers(file) : undefined
  if (mode !== undefined)
    yield bad(
      'Secret keys',
      `Other users can read ${file} (mode ${mode}).`,
      'forbidden',
      `chmod 600 ${file}, and replace the key if others may have read it: crm secrets rotate --help`,
    )
  if (configured.length > 0)
    yield good('Secret keys', `${ids(inFile)}, in ${file}, which only open: delete the file once crm secrets shows no value under them`)
  else if (isShared)
    yield doubtful(
      'Secret keys',
      `${ids(inFile)}, in ${file}, which only opens: services on other machines, or in other folders, do not have it.`,
      `Give all of them the same key: CRM_SECRET_KEYS="$(cat ${file})"`,
    )
  else
    yield good(
      'Secret keys',
      `${ids(inFile)}, made in ${file}, so that a copy of the store with this file opens its own secrets. crm backup leaves the key out: keep a copy of it apart`,
    )
}

function* stateOf(
  area: string,
  vault: Vault,
  { byKey, plain, unopened }: SecretCounts,
  secrets: readonly StoredSecret[],
  needsKeys: boolean,
): Generator<Finding> {
  const { good, doubtful, bad } = findingsIn(area)
  const missing = [...byKey.keys()].filter((id) => !vault.keyIds().includes(id))
  const lost = secrets.filter(({ text }) => missing.includes(sealedWith(text) ?? ''))
  if (lost.length > 0)
    yield bad(
      'Secrets',
      `${counted(lost.length)} sealed with ${missing.join(', ')}, which is not here.`,
      'platform_unavailable',
      'Add the key to CRM_SECRET_KEYS, or put the file secret-key back. If it is lost, replace the secrets: crm rotate_webhook_secret, crm update_connection',
    )
  const altered = unopened.filter((place) => !lost.some((secret) => secret.place === place))
  if (altered.length > 0)
    yield bad(
      'Secrets',
      `${counted(altered.length)} altered, or moved from another place: ${altered.map(({ type, id, field }) => `${field} of ${type} ${id}`).join(', ')}.`,
      'conflict',
      'Find out what has written to the store, and replace them: crm rotate_webhook_secret, crm update_connection',
    )
  if (plain > 0)
    yield doubtful(
      'Secrets',
      `${counted(plain)} stored in plain text.`,
      needsKeys
        ? 'Give all services of the store the same CRM_SECRET_KEYS: their next start seals them.'
        : 'The next start of crm serve seals them, or crm secrets rotate now.',
    )
  if (unopened.length + plain === 0) yield good('Secrets', secrets.length === 0 ? 'none' : `${counted(secrets.length)} sealed`)
}

const counted = (count: number) => (count === 1 ? 'One is' : `${count} are`)

async function readSecrets(ask: AskStore): Promise<StoredSecret[]> {
  const found: StoredSecret[] = []
  for (const type of SEALED_TYPES) {
    const columns = ['Workspace', type.id, ...sealedFields(type)].map(quoted).join(', ')
    for (const row of await ask(`SELECT ${columns} FROM ${quoted(type.name)}`, [])) found.push(...secretsIn(Number(row.Workspace), type, row as StoredRecord))
  }
  return found
}
