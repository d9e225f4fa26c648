import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import type { RecordName, StoredRecord } from '../../../platforms/platform.ts'
import { typeOn } from '../../call/extension.ts'
import { idOf } from '../../call/records.ts'
import type { Watched } from '../watched.ts'
import { neededBy, type Rows } from './rows.ts'

/**
 * What the mirror should have of notes, comments or memberships, with the rows that have gone together with a record which was deleted since its type was polled. Those are
 * left to the next poll, which announces that record as deleted and takes them along. So is the row that counts them, so that they are looked at again if the record comes back.
 */
export async function withRowsOfGone(
  watched: Watched,
  type: RecordType,
  before: readonly (readonly [id: string, Rows])[],
  now: ReadonlyMap<string, Rows>,
): Promise<ReadonlyMap<string, Rows>> {
  const absent = before.map(([id, was]) => [id, was, [...was].filter(([key]) => !now.get(id)?.has(key))] as const)
  const isGone = await goneAmong(
    watched,
    absent.flatMap(([, , rows]) => rows.flatMap(([, row]) => neededBy(type, row))),
  )
  const kept = new Map(now)
  for (const [id, was, rows] of absent) {
    const left = rows.filter(([, row]) => neededBy(type, row).some(isGone))
    if (left.length > 0) kept.set(id, new Map([...[...was].filter(([key]) => key === id), ...(now.get(id) ?? []), ...left]))
  }
  return kept
}

/** Which of these the account does not have, with a request for those of each type. */
async function goneAmong({ platform, records }: Watched, needed: readonly RecordName[]): Promise<(one: RecordName) => boolean> {
  const byType = new Map<string, Set<string>>()
  for (const { type, id } of needed) byType.set(type, (byType.get(type) ?? new Set()).add(id))
  for (const [name, ids] of byType) {
    const present: readonly StoredRecord[] = await records.getAll(name, [...ids])
    for (const record of present) ids.delete(idOf(typeOn(platform, recordType(name)), record))
  }
  return ({ type, id }) => byType.get(type)?.has(id) ?? false
}
