import type { RecordType } from '../../contract/record.ts'
import type { Platform, StoredRecord } from '../../platforms/platform.ts'
import { giveUp } from './anew.ts'
import { apply, applyNew, lacksValuesOf, rewriteRows } from './apply.ts'
import { verifyAll } from './attached/follow.ts'
import { attachedTypes } from './attached/rows.ts'
import { changedSince, versionOf } from './changed.ts'
import { hasExtraFields } from './extra-fields.ts'
import { mirroredTypes } from './mirrored.ts'
import { differingIds } from './missing.ts'
import { readPosition, type TypePosition } from './positions.ts'
import { recordRepairs } from './repairs.ts'
import { isReplaced } from './replaced.ts'
import { readStatus, type WatchStatus } from './status.ts'
import type { Watched } from './watched.ts'

/** The hour of the day, in UTC, from which on a mirror is verified. */
const FROM_HOUR = 2

/** The position that tells on which day a mirror was verified last. */
const VERIFIED = 'mirror verified'

/** How much of a type was compared, and how much of it differed. */
export interface Verified {
  readonly type: string
  readonly compared: number
  readonly repaired: number
  /** Why it could not be compared. */
  readonly reason?: string
}

/**
 * Compares all records of an account with its mirror, by their versions and values. What differs was missed: it is brought up, and announced. A row that has the version of the record
 * but not its values is written again, without an event, since nothing has changed in the account; so are the counters that summaries are answered from, and the words that searches
 * find records by, where they differ from the rows. Types whose mirror is not complete are left out, and say why.
 */
export async function verifyMirror(watched: Watched, signal: AbortSignal, progress: (compared: number) => void = () => {}): Promise<Verified[]> {
  const { service, workspace, store, platform } = watched
  const journal = service.store.journal(workspace.number)
  const [position, status] = [await readPosition(journal), await readStatus(journal)]
  const verified: Verified[] = []
  const complete = mirroredTypes(platform).find(({ name }) => position?.types[name]?.isComplete)
  if (position && complete && (await isReplaced(watched, complete))) {
    await giveUp(watched, position, 'replaced')
    return verified
  }
  let all = 0
  const goOn = (compared: number) => {
    progress(all + compared)
    return !signal.aborted
  }
  const verify = async (type: RecordType, compare: () => Promise<Compared | undefined>) => {
    if (signal.aborted) return
    const known = position?.types[type.name]
    const found = known?.isComplete && hasExtraFields(platform, type.name, known) ? await compare() : undefined
    all += found?.compared ?? 0
    if (found) verified.push({ type: type.name, ...found })
    else if (!signal.aborted) verified.push({ type: type.name, compared: 0, repaired: 0, reason: reasonOf(platform, known, status) })
  }
  for (const type of mirroredTypes(platform)) await verify(type, () => verifyRecords(watched, type, goOn))
  for (const type of attachedTypes(platform)) await verify(type, () => verifyAll(watched, type, goOn))
  const repaired = verified.flatMap((one) => (one.repaired > 0 ? [[one.type, one.repaired] as const] : []))
  if (repaired.length > 0) await store.write(workspace.number, (writer) => recordRepairs(writer, Object.fromEntries(repaired)))
  return verified
}

type Compared = Pick<Verified, 'compared' | 'repaired'>

async function verifyRecords(watched: Watched, type: RecordType, goOn: (compared: number) => boolean): Promise<Compared | undefined> {
  let [compared, repaired] = [0, 0]
  for await (const records of changedSince(watched, type, undefined)) {
    const versions = records.map((record) => versionOf(type, record))
    const isWrong = (row: StoredRecord, record: StoredRecord) => lacksValuesOf(watched, type, row, record)
    repaired += (await applyNew(watched, type, versions)).length + (await rewriteRows(watched, type, records, isWrong))
    compared += records.length
    if (!goOn(compared)) return undefined
  }
  repaired += (await apply(watched, type, await differingIds(watched, type))).length
  const { service, workspace } = watched
  repaired += (await service.store.recountMirror(workspace.number, type.name)) + (await service.store.reindexMirror(workspace.number, type.name))
  return { compared, repaired }
}

function reasonOf({ name }: Platform, known: TypePosition | undefined, status: WatchStatus | undefined): string {
  if (known) return 'The mirror is being backfilled.'
  return status?.failure?.message ?? `${name} has not listed them to the connector.`
}

/** Verifies a mirror once in a night, from the one after it was backfilled on. Resolves to what was verified now. */
export async function verifyDaily(watched: Watched, signal: AbortSignal): Promise<readonly Verified[]> {
  const { service, workspace, store } = watched
  const now = service.now()
  const day = now.toISOString().slice(0, 10)
  const last = await service.store.journal(workspace.number).position(VERIFIED)
  if (last === day || (last !== undefined && now.getUTCHours() < FROM_HOUR)) return []
  const verified = last === undefined ? [] : await verifyMirror(watched, signal)
  if (!signal.aborted) await store.write(workspace.number, (writer) => writer.setPosition(VERIFIED, day))
  return verified
}
