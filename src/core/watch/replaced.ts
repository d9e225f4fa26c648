import type { RecordType } from '../../contract/record.ts'
import type { ChangedRecord } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import { byId } from './apply.ts'
import { mirroredTypes } from './mirrored.ts'
import { Ended } from './type-failure.ts'
import { isSameVersion, type Watched } from './watched.ts'

/** Of fewer known records each change is told, whatever has become of them. */
const FEWEST = 20

/** So many of the oldest records of a type are looked for, and of the newest. */
const LOOKED_FOR = 50

/** Thrown by a poll of an account that is another than the one that was followed. Nothing of it was announced. */
export class AccountReplaced extends Ended {}

/** Refuses what was found where it could be that of another account, and is. Records that are new, or many that have changed, make a poll worth it. */
export async function refuseReplaced(watched: Watched, type: RecordType, found: readonly ChangedRecord[]): Promise<void> {
  const known = byId(
    type,
    await watched.mirror.getAll(
      type.name,
      found.map(({ id }) => id),
    ),
  )
  const changed = found.filter((one) => !isSameVersion(watched.platform, known.get(one.id), one))
  if (changed.length < FEWEST && changed.every(({ id }) => known.has(id))) return
  if (await isReplaced(watched, type)) throw new AccountReplaced()
}

/** The same for ids that seem to be gone. */
export async function refuseReplacedGone(watched: Watched, type: RecordType, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const isMany = ids.length >= FEWEST || 2 * ids.length >= (await watched.mirror.count(type.name, []))
  if (isMany && (await isReplaced(watched, type))) throw new AccountReplaced()
}

/**
 * Whether an account was replaced by another behind the same address: of whatever type, none of the records that are known of it is there any more. One with the id of a known record that
 * was created at another moment is another record.
 */
export async function isReplaced(watched: Watched, first: RecordType): Promise<boolean> {
  const types = [first, ...mirroredTypes(watched.platform).filter(({ name }) => name !== first.name)]
  const counts = await Promise.all(types.map(({ name }) => watched.mirror.count(name, [])))
  if (counts.reduce((sum, count) => sum + count, 0) < FEWEST) return false
  let refusal: unknown
  for (const [index, type] of types.entries()) {
    try {
      if (counts[index] !== 0 && (await isAnyThere(watched, type))) return false
    } catch (error) {
      // The records of other types tell.
      if (watched.platform.classify(error)?.code !== 'forbidden') throw error
      refusal ??= error
    }
  }
  if (refusal !== undefined) throw refusal
  return true
}

async function isAnyThere({ mirror, records }: Watched, type: RecordType): Promise<boolean> {
  const { createdField } = type
  const ends = [true, false].map((descending) =>
    mirror.find(type.name, { where: [], order: { field: createdField, descending }, limit: LOOKED_FOR, fields: [createdField] }),
  )
  const known = byId(
    type,
    (await Promise.all(ends)).flatMap((found) => found.records),
  )
  const present = await records.getAll(type.name, [...known.keys()])
  return present.some((record) => record[createdField] === known.get(idOf(type, record))?.[createdField])
}
