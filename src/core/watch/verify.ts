import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { giveUp } from './anew.ts'
import { apply, applyNew, lacksValuesOf, rewriteRows } from './apply.ts'
import { verifyAll } from './attached/follow.ts'
import { attachedTypes } from './attached/rows.ts'
import { changedSince, versionOf } from './changed.ts'
import { hasExtraFields } from './extra-fields.ts'
import { isMirrored, mirroredTypes } from './mirrored.ts'
import { differingIds } from './missing.ts'
import { type Position, readPosition } from './positions.ts'
import { recordRepairs } from './repairs.ts'
import { isReplaced } from './replaced.ts'
import { failureOfType } from './type-failure.ts'
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
  /** Set where that is a failure. */
  readonly code?: ErrorCode
}

/** Why the first type that has failed could not be compared. */
export function firstFailure(verified: readonly Verified[]): CrmError | undefined {
  const failed = verified.find(({ code }) => code !== undefined)
  return failed?.code && new CrmError(failed.code, failed.reason ?? '')
}

/**
 * Compares all records of an account with its mirror, by their versions and values. What differs was missed: it is brought up, and announced. A row that has the version of the record
 * but not its values is written again, without an event, since nothing has changed in the account; so are the counters that summaries are answered from, and the words that searches
 * find records by, where they differ from the rows. Types that cannot be compared are left out, and say why.
 */
export async function verifyMirror(watched: Watched, signal: AbortSignal, progress: (compared: number) => void = () => {}): Promise<Verified[]> {
  const { service, workspace, store, platform } = watched
  const position = await readPosition(service.store.journal(workspace.number))
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
  for (const type of [...mirroredTypes(platform), ...attachedTypes(platform)]) {
    const compare = isMirrored(type) ? verifyRecords : verifyAll
    const found = signal.aborted ? undefined : await verifyType(watched, type, position, signal, () => compare(watched, type, goOn))
    if (!found) return verified
    verified.push(found)
    all += found.compared
  }
  const repaired = verified.flatMap((one) => (one.repaired > 0 ? [[one.type, one.repaired] as const] : []))
  if (repaired.length > 0) await store.write(workspace.number, (writer) => recordRepairs(writer, Object.fromEntries(repaired)))
  return verified
}

type Compared = Pick<Verified, 'compared' | 'repaired'>

/** Resolves to undefined where it was aborted. */
async function verifyType(
  watched: Watched,
  type: RecordType,
  position: Position | undefined,
  signal: AbortSignal,
  compare: () => Promise<Compared | undefined>,
): Promise<Verified | undefined> {
  const uncompared = { type: type.name, compared: 0, repaired: 0 }
  try {
    const lack = await lackOf(watched, type, position)
    if (lack !== undefined) return { ...uncompared, reason: lack }
    const found = await compare()
    if (found) return { type: type.name, ...found }
    return signal.aborted ? undefined : { ...uncompared, reason: notListed(watched) }
  } catch (error) {
    const { message, code } = failureOfType(watched, type, error, signal)
    return { ...uncompared, reason: message, code }
  }
}

/** What the mirror of a type lacks to be compared; undefined where it lacks nothing. An account that refuses the type says so itself. */
async function lackOf(watched: Watched, type: RecordType, position: Position | undefined): Promise<string | undefined> {
  const known = position?.types[type.name]
  const isCurrent = hasExtraFields(watched.platform, type.name, known)
  if (known?.isComplete && isCurrent) return undefined
  if (isMirrored(type)) await watched.records.count(type.name, [])
  else if (!known) return notListed(watched)
  return known?.isComplete ? 'The mirror does not have all fields of the account yet.' : 'The mirror is being backfilled.'
}

const notListed = ({ platform: { name } }: Watched) => `${name} has not listed them to the connector.`

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
