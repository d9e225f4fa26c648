import { LIMITS } from '../../contract/limits.ts'
import { EXTENSIBLE } from '../../contract/records/extensible.ts'
import { OWN_KINDS, OwnField } from '../../contract/records/own-field.ts'
import { IdleCache } from '../../helpers/idle-cache.ts'
import type { ExtraField, FieldLimits, OwnStorage, Reader } from '../../platforms/platform.ts'
import type { OwnFields, Store } from '../../platforms/store.ts'
import { findRecords, type RecordOf } from '../call/records.ts'
import { withTransactionRetry } from '../call/transaction-retry.ts'

export type OwnFieldRecord = RecordOf<typeof OwnField>

interface Known {
  version: number
  /** The definitions, to tell whether they have changed. */
  readonly text: string
  readonly store: Store
}

/** What each workspace in use has defined; stale once the version of the store is another. */
const known = new WeakMap<Store, IdleCache<number, Known>>()

/** The store with the fields that a workspace has defined, as they were last read. */
export const knownStore = (store: Store, workspace: number): Store => known.get(store)?.get(workspace)?.store ?? store

/** Reads what a workspace has defined where it may have changed; undefined where it cannot have. Every call does so before its first step. */
export function readOwnFields(store: Store, workspace: number): Promise<void> | undefined {
  const version = store.accessVersion()
  return known.get(store)?.get(workspace)?.version === version ? undefined : readAgain(store, workspace, version)
}

async function readAgain(store: Store, workspace: number, version: number): Promise<void> {
  const definitions = await definedFields(store.reader(workspace))
  const text = JSON.stringify(definitions)
  const workspaces = known.get(store) ?? new IdleCache<number, Known>()
  known.set(store, workspaces)
  const before = workspaces.get(workspace)
  // The same object as long as nothing has changed, since schemas are memoised by it.
  if (before?.text === text) before.version = version
  else workspaces.set(workspace, { version, text, store: definitions.length > 0 ? withTransactionRetry(store.withOwnFields(ownFieldsOf(definitions))) : store })
}

/** All definitions of a workspace, retired ones included. */
export function definedFields(reader: Pick<Reader, 'find'>): Promise<readonly OwnFieldRecord[]> {
  return findRecords(reader, OwnField, { where: [], order: { field: OwnField.id, descending: false }, limit: LIMITS.ownFields * EXTENSIBLE.length })
}

function ownFieldsOf(definitions: readonly OwnFieldRecord[]): OwnFields {
  const byType = <T>(of: readonly OwnFieldRecord[], made: (one: OwnFieldRecord) => T) => {
    const types: { [type: string]: { [name: string]: T } } = {}
    for (const one of of) types[one.RecordType] = { ...types[one.RecordType], [one.FieldName]: made(one) }
    return types
  }
  const storage = (one: OwnFieldRecord): OwnStorage => ({ indexed: one.Indexed, unique: one.Unique, refers: one.RefersTo ?? undefined })
  const inUse = definitions.filter(({ Retired }) => !Retired)
  return {
    extras: byType(
      inUse,
      (one): ExtraField => ({ kind: OWN_KINDS[one.Kind], label: one.Label, readOnly: false, refers: one.RefersTo ?? undefined, own: storage(one) }),
    ),
    limits: byType(inUse, ({ Required, Values }): FieldLimits => ({ required: Required, ...(Values && { closed: Values }) })),
    retired: byType(
      definitions.filter(({ Retired }) => Retired),
      storage,
    ),
  }
}
