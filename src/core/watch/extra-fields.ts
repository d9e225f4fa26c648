import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { RecordType } from '../../contract/record.ts'
import type { Platform, StoredRecord } from '../../platforms/platform.ts'
import { rewriteRows } from './apply.ts'
import { changedSince } from './changed.ts'
import { rowOf } from './mirrored.ts'
import type { TypePosition } from './positions.ts'
import type { Watched } from './watched.ts'

const digests = new WeakMap<object, string>()

/** The fields that the account has and the contract does not, as a digest, which is memoised; undefined where there are none. */
export function extraFieldsOf({ supports: { extras } }: Pick<Platform, 'supports'>, type: string): string | undefined {
  const fields = extras[type]
  if (!fields) return undefined
  let digest = digests.get(fields)
  if (digest === undefined) {
    const kinds = Object.entries(fields).map(([name, { kind }]) => `${name} ${kind}`)
    digest = createHash('sha256').update(kinds.sort().join('\n')).digest('base64url').slice(0, 12)
    digests.set(fields, digest)
  }
  return digest
}

/** Whether the rows of a type have the fields that the account has now. One that was made in the CRM since is in none of them. */
export const hasExtraFields = (platform: Pick<Platform, 'supports'>, type: string, known: TypePosition | undefined) =>
  known?.extraFields === extraFieldsOf(platform, type)

/** Brings the rows of a type up to the fields that the account has now. Nothing is announced: no record has changed. Resolves to the fields that they have then. */
export async function adoptExtraFields(watched: Watched, type: RecordType, known: TypePosition, signal: AbortSignal): Promise<string | undefined> {
  if (hasExtraFields(watched.platform, type.name, known)) return known.extraFields
  for await (const records of changedSince(watched, type, undefined)) {
    await rewriteRows(watched, type, records, (row, record) => differsInExtra(type, row, record))
    if (signal.aborted) return known.extraFields
  }
  return extraFieldsOf(watched.platform, type.name)
}

/** Whether a row differs from its record in such fields, and in no others: that would be a change, which is announced. */
function differsInExtra(type: RecordType, row: StoredRecord, record: StoredRecord): boolean {
  const now = rowOf(type, record)
  const compared = Object.entries(type.fields).filter(([, { access, extra }]) => extra || access !== 'read')
  const differing = compared.filter(([name]) => !isDeepStrictEqual(row[name] ?? null, now[name] ?? null))
  return differing.length > 0 && differing.every(([, { extra }]) => extra)
}
