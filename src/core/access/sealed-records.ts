import { CrmError } from '../../contract/errors.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Service } from '../service.ts'
import { type Place, sealedWith, type Vault } from './vault.ts'

/** The names of the fields of a type that are stored sealed. */
export const sealedFields = ({ fields }: RecordType): string[] => Object.keys(fields).filter((name) => fields[name]?.sealed)

/** The record types that have such fields. */
export const SEALED_TYPES: readonly RecordType[] = RECORD_TYPES.filter((type) => sealedFields(type).length > 0)

/** A record as it is stored, or changes to the one with this id: with its sealed fields sealed. A dry run stores nothing, and needs no key. */
export function sealed(
  { service, caller }: Pick<Context, 'service' | 'caller'>,
  { isDryRun }: Writer,
  type: RecordType,
  values: StoredRecord,
  id = idOf(type, values),
): StoredRecord {
  if (isDryRun) return values
  const seal = (field: string) => {
    const text = values[field]
    return typeof text === 'string' ? [[field, service.vault.seal(text, { workspace: caller.workspace.number, type: type.name, id, field })]] : []
  }
  return { ...values, ...Object.fromEntries(sealedFields(type).flatMap(seal)) }
}

/** The plain text of a sealed field that has a value. */
export function openField(vault: Vault, workspace: number, type: RecordType, record: StoredRecord, field: string): string {
  return vault.open(record[field] as string, { workspace, type: type.name, id: idOf(type, record), field })
}

/** The same, or null where it cannot be opened. */
export function openOrNull({ service, caller }: Pick<Context, 'service' | 'caller'>, type: RecordType, record: StoredRecord, field: string): string | null {
  return opened(service.vault, record[field] as string, { workspace: caller.workspace.number, type: type.name, id: idOf(type, record), field }) ?? null
}

function opened(vault: Vault, text: string, place: Place): string | undefined {
  try {
    return vault.open(text, place)
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}

/** A value of a sealed field, as it is stored. */
export interface StoredSecret {
  readonly place: Place
  readonly text: string
}

export interface SecretCounts {
  /** How many values are sealed with each key, by its id. */
  readonly byKey: ReadonlyMap<string, number>
  readonly plain: number
  /** The places of those that do not open, because the key is missing or the text was altered. */
  readonly unopened: readonly Place[]
}

export async function countSecrets(vault: Vault, secrets: AsyncIterable<StoredSecret> | Iterable<StoredSecret>): Promise<SecretCounts> {
  const byKey = new Map<string, number>()
  const unopened: Place[] = []
  let plain = 0
  for await (const { text, place } of secrets) {
    const keyId = sealedWith(text)
    if (keyId === undefined) plain++
    else byKey.set(keyId, (byKey.get(keyId) ?? 0) + 1)
    if (opened(vault, text, place) === undefined) unopened.push(place)
  }
  return { byKey, plain, unopened }
}

/** The values of the sealed fields of a record. */
export function secretsIn(workspace: number, type: RecordType, record: StoredRecord): StoredSecret[] {
  return sealedFields(type).flatMap((field) => {
    const text = record[field]
    return typeof text === 'string' ? [{ text, place: { workspace, type: type.name, id: idOf(type, record), field } }] : []
  })
}

/** All of them in the store. */
export async function* storedSecrets(service: Pick<Service, 'store'>): AsyncGenerator<StoredSecret> {
  for await (const { workspace, type, records } of pagesOf(service)) for (const record of records) yield* secretsIn(workspace, type, record)
}

/** Whether any of them is sealed. */
export async function hasSealed(service: Pick<Service, 'store'>): Promise<boolean> {
  for await (const { text } of storedSecrets(service)) if (sealedWith(text) !== undefined) return true
  return false
}

export interface Resealed {
  /** How many values were plain, and how many were sealed with another key. */
  readonly plain: number
  readonly resealed: number
  /** Those that do not open; they stay as they are. */
  readonly unopened: readonly Place[]
}

/**
 * Seals every value that is not sealed with the first key, or with `plainOnly` those that are plain. Others may read and write meanwhile: each page is a
 * transaction that reads its records again and locks them.
 */
export async function reseal(service: Service, { plainOnly = false } = {}): Promise<Resealed> {
  const { store, vault } = service
  const key = vault.sealingKey()
  if (key === undefined)
    throw new CrmError('unsupported', 'There is no key to seal with.', { hint: 'Give all services of the store the same CRM_SECRET_KEYS.' })
  const isStale = ({ text }: StoredSecret) => {
    const keyId = sealedWith(text)
    return keyId === undefined || (!plainOnly && keyId !== key)
  }
  let [plain, resealed] = [0, 0]
  const unopened: Place[] = []
  for await (const { workspace, type, records } of pagesOf(service)) {
    const stale = records.filter((record) => secretsIn(workspace, type, record).some(isStale))
    if (stale.length === 0) continue
    const done = await store.write(workspace, async (writer) => {
      const page = { plain: 0, resealed: 0, unopened: [] as Place[] }
      for (const { [type.id]: id } of stale) {
        const record = await writer.get(type.name, id as string)
        const changes: { [field: string]: string } = {}
        for (const { text, place } of record ? secretsIn(workspace, type, record).filter(isStale) : []) {
          const secret = opened(vault, text, place)
          if (secret === undefined) {
            page.unopened.push(place)
            continue
          }
          changes[place.field] = vault.seal(secret, place)
          if (sealedWith(text) === undefined) page.plain++
          else page.resealed++
        }
        if (Object.keys(changes).length > 0) await writer.update(type.name, id as string, changes)
      }
      return page
    })
    plain += done.plain
    resealed += done.resealed
    unopened.push(...done.unopened)
  }
  return { plain, resealed, unopened }
}

/** Small, so that other writes run between two of them. */
const PAGE = 100

/** The records with sealed fields, of all workspaces. */
async function* pagesOf({ store }: Pick<Service, 'store'>): AsyncGenerator<{ workspace: number; type: RecordType; records: readonly StoredRecord[] }> {
  for (const type of SEALED_TYPES)
    for (const workspace of await store.workspacesWith(type.name)) {
      let last: string | undefined
      for (let more = true; more; ) {
        const page = await store.reader(workspace).find(type.name, {
          where: [],
          order: { field: type.id, descending: false },
          ...(last !== undefined && { after: { value: last, id: last } }),
          limit: PAGE,
          fields: sealedFields(type),
        })
        yield { workspace, type, records: page.records }
        last = page.records.at(-1)?.[type.id] as string | undefined
        more = page.more && last !== undefined
      }
    }
}
