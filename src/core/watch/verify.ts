import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Query, StoredRecord } from '../../platforms/platform.ts'
import { giveUp } from './anew.ts'
import { apply, applyNew, lacksValuesOf, rewriteRows } from './apply.ts'
import { verifyAll } from './attached/follow.ts'
import { attachedTypes } from './attached/rows.ts'
import { changedSince, placeOf, versionOf } from './changed.ts'
import { hasExtraFields } from './extra-fields.ts'
import { isMirrored, mirroredTypes } from './mirrored.ts'
import { differingIds } from './missing.ts'
import { type Position, readPosition } from './positions.ts'
import { type Repairs, recordRepairs } from './repairs.ts'
import { isReplaced } from './replaced.ts'
import { failureOfType } from './type-failure.ts'
import type { Watched } from './watched.ts'

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

/** How far a verification has come: what of it is done, and where it is in the type that comes next. */
export interface Verification {
  readonly verified: readonly Verified[]
  readonly within?: Reached | undefined
}

/** How far a type was compared, and up to which of its records. */
interface Reached extends Compared {
  readonly after?: Query['after']
}

type Compared = Pick<Verified, 'compared' | 'repaired'>

/**
 * Compares all records of an account with its mirror, by their versions and values. What differs was missed: it is brought up, and announced. A row that has the version of the record
 * but not its values is written again, without an event, since nothing has changed in the account; so are the counters that summaries are answered from, and the words that searches
 * find records by, where they differ from the rows. Types that cannot be compared are left out, and say why.
 */
export async function verifyMirror(watched: Watched, signal: AbortSignal, progress: (compared: number) => void = () => {}): Promise<readonly Verified[]> {
  if (await isGone(watched)) return []
  const { workspace, store } = watched
  let done: readonly Verified[] = []
  await verifyFrom(watched, signal, { verified: [] }, async ({ verified, within }) => {
    done = verified
    progress(verified.reduce((sum, { compared }) => sum + compared, within?.compared ?? 0))
    return true
  })
  await store.write(workspace.number, (writer) => recordRepairs(writer, repairsIn(done)))
  return done
}

/** Whether the account was replaced by another. Its mirror is given up then. */
export async function isGone(watched: Watched): Promise<boolean> {
  const { service, workspace, platform } = watched
  const position = await readPosition(service.store.journal(workspace.number))
  const complete = mirroredTypes(platform).find(({ name }) => position?.types[name]?.isComplete)
  if (!position || !complete || !(await isReplaced(watched, complete))) return false
  await giveUp(watched, position, 'replaced')
  return true
}

/** Goes on with a verification, for as long as `goOn` says after each page, and each type. Resolves to undefined where it did not come to its end. */
export async function verifyFrom(
  watched: Watched,
  signal: AbortSignal,
  { verified, within }: Verification,
  goOn: (now: Verification) => Promise<boolean>,
): Promise<readonly Verified[] | undefined> {
  const { service, workspace, platform } = watched
  const position = await readPosition(service.store.journal(workspace.number))
  const types = [...mirroredTypes(platform), ...attachedTypes(platform)]
  for (const type of types.slice(verified.length)) {
    const goOnWithin = async (reached: Reached) => (await goOn({ verified, within: reached })) && !signal.aborted
    const found = await verifyType(watched, type, position, signal, async () =>
      isMirrored(type) ? verifyRecords(watched, type, within, goOnWithin) : verifyAttached(watched, type, signal),
    )
    if (!found) return undefined
    verified = [...verified, found]
    within = undefined
    if (!(await goOn({ verified })) || signal.aborted) return undefined
  }
  return verified
}

/** How many of each type were repaired. */
export const repairsIn = (verified: readonly Verified[]): Repairs =>
  Object.fromEntries(verified.flatMap(({ type, repaired }) => (repaired > 0 ? [[type, repaired]] : [])))

/** Resolves to undefined where it did not come to its end. */
async function verifyType(
  watched: Watched,
  type: RecordType,
  position: Position | undefined,
  signal: AbortSignal,
  compare: () => Promise<Pick<Verified, 'compared' | 'repaired' | 'reason'> | undefined>,
): Promise<Verified | undefined> {
  const uncompared = { type: type.name, compared: 0, repaired: 0 }
  try {
    const lack = await lackOf(watched, type, position)
    if (lack !== undefined) return { ...uncompared, reason: lack }
    const found = await compare()
    return found && { type: type.name, ...found }
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

async function verifyRecords(
  watched: Watched,
  type: RecordType,
  { compared, repaired, after }: Reached = { compared: 0, repaired: 0 },
  goOn: (reached: Reached) => Promise<boolean>,
): Promise<Compared | undefined> {
  for await (const records of changedSince(watched, type, undefined, after)) {
    const versions = records.map((record) => versionOf(type, record))
    const isWrong = (row: StoredRecord, record: StoredRecord) => lacksValuesOf(watched, type, row, record)
    repaired += (await applyNew(watched, type, versions)).length + (await rewriteRows(watched, type, records, isWrong))
    compared += records.length
    after = placeOf(type, records.at(-1) as StoredRecord)
    if (!(await goOn({ compared, repaired, after }))) return undefined
  }
  repaired += (await apply(watched, type, await differingIds(watched, type))).length
  const { service, workspace } = watched
  repaired += (await service.store.recountMirror(workspace.number, type.name)) + (await service.store.reindexMirror(workspace.number, type.name))
  return { compared, repaired }
}

/** At once, since what is gone is found by what was seen. */
async function verifyAttached(watched: Watched, type: RecordType, signal: AbortSignal) {
  const found = await verifyAll(watched, type, () => !signal.aborted)
  return found ?? (signal.aborted ? undefined : { compared: 0, repaired: 0, reason: notListed(watched) })
}
