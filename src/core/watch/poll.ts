import type { CrmError } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import type { ResyncReason } from '../../contract/records/event.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { beginAnew, giveUp, renamed } from './anew.ts'
import { apply, applyNew, backfill, dropDeleted } from './apply.ts'
import { fillAll, followAll, review } from './attached/follow.ts'
import { ATTACHED, attachedTypes } from './attached/rows.ts'
import { changedSince, versionsSince } from './changed.ts'
import { fillByExport } from './export.ts'
import { adoptExtraFields, extraFieldsOf } from './extra-fields.ts'
import { keepAccount } from './kept-account.ts'
import { mirroredTypes } from './mirrored.ts'
import { differingIds } from './missing.ts'
import { connectionInUse } from './of-connection.ts'
import { type Position, readPosition, type TypePosition, writePosition } from './positions.ts'
import { applyReferring } from './referring.ts'
import { AccountReplaced, refuseReplaced, refuseReplacedGone } from './replaced.ts'
import { accountOf } from './source.ts'
import { failureOfType } from './type-failure.ts'
import { searchableUntil, type Watched } from './watched.ts'

/**
 * How far each poll looks back: a transaction of the CRM may show its rows minutes after the moment that they are stamped with. What was seen before is known by the version
 * that the mirror has.
 */
const LOOK_BACK_MS = 5 * 60_000

/** A gap that is longer than this is not replayed: the mirror is backfilled anew. */
const LONGEST_GAP_MS = 7 * 24 * 3_600_000

/**
 * Polls an account once for what others have changed. The first polls backfill the mirror and announce nothing. A type that cannot be read does not keep the others from being
 * followed, nor does a record that the store does not take: resolves to the first such failure.
 */
export async function pollOnce(watched: Watched, signal: AbortSignal): Promise<CrmError | undefined> {
  try {
    return await lookOnce(watched, signal)
  } catch (error) {
    if (!(error instanceof AccountReplaced)) throw error
    const known = await readPosition(watched.service.store.journal(watched.workspace.number))
    if (known) await giveUp(watched, known, 'replaced')
    return lookOnce(watched, signal)
  }
}

async function lookOnce(watched: Watched, signal: AbortSignal): Promise<CrmError | undefined> {
  let position = await positionOf(watched, signal)
  const leftOut = await watched.feed.leftOut?.()
  if (leftOut) position = { ...position, leftOut }
  await keepAccount(watched)
  let failure: CrmError | undefined
  for (const type of mirroredTypes(watched.platform)) {
    await unlessFailing(type, (known) =>
      known?.isComplete ? follow(watched, type, known, signal) : fillFrom(watched, type, known, signal, (writer, reached) => keep(writer, type, reached)),
    )
  }
  for (const type of attachedTypes(watched.platform))
    await unlessFailing(type, (known) => attachedIn(watched, type, known, signal, (reached) => kept(type, reached)))
  const withheld = ATTACHED.filter((name) => position.types[name]?.isRefused ?? !position.types[name])
  if (!signal.aborted && String(withheld) !== String(position.withheld ?? [])) {
    position = { ...position, withheld }
    await watched.store.write(watched.workspace.number, (writer) => writePosition(writer, position))
  }
  return failure ?? watched.untaken.failure

  async function unlessFailing(type: RecordType, poll: (known: TypePosition | undefined) => Promise<TypePosition | undefined>): Promise<void> {
    if (signal.aborted) return
    const known = position.types[type.name]
    try {
      const now = await poll(isOutdated(watched, known) ? undefined : known)
      if (now) await kept(type, now)
    } catch (error) {
      const failed = failureOfType(watched, type, error, signal)
      failure ??= failed
      if (failed.code === 'forbidden' && known && !known.isRefused) await kept(type, { ...known, isRefused: true })
    }
  }

  function keep(writer: StoreWriter, { name }: RecordType, reached: TypePosition): Promise<void> {
    position = { ...position, types: { ...position.types, [name]: reached } }
    return writePosition(writer, position)
  }

  function kept(type: RecordType, reached: TypePosition): Promise<void> {
    return watched.store.write(watched.workspace.number, (writer) => keep(writer, type, reached))
  }
}

/** Where to go on. Another account, or one that was not followed for long, begins anew. */
async function positionOf(watched: Watched, signal: AbortSignal): Promise<Position> {
  const { service, workspace, platform } = watched
  const journal = service.store.journal(workspace.number)
  const found = await readPosition(journal)
  const known = found && (await renamed(watched, found))
  const isSame = known?.account === accountOf(platform)
  const reason = known && !known.isErasing ? await reasonFor(watched, known, isSame) : undefined
  return isSame && !reason && !known.isErasing ? known : beginAnew(watched, known, reason, signal)
}

/** Why an account that was followed before is not followed on from there. Of one that is new to the workspace nothing was missed. */
async function reasonFor({ service, workspace, platform, feed }: Watched, known: Position, isSame: boolean): Promise<ResyncReason | undefined> {
  if (!isSame) {
    if (known.earlier?.includes(accountOf(platform))) return 'switched'
    const connection = await connectionInUse(service.store.reader(workspace.number))
    return connection && [known.connection, ...(known.earlierConnections ?? [])].includes(connection.ConnectionID) ? 'replaced' : undefined
  }
  const types = Object.values(known.types).filter((type) => type && !type.isRefused)
  const since = types.map((type) => type?.since ?? 0)
  const isGap = since.length > 0 && Math.max(...since) < feed.now() - LONGEST_GAP_MS && types.every((type) => type?.isComplete)
  return isGap ? 'gap' : undefined
}

/** Whether a type that was refused has to be backfilled anew, once it can be read again. */
const isOutdated = ({ feed }: Watched, known: TypePosition | undefined) => known?.isRefused === true && known.since < feed.now() - LONGEST_GAP_MS

/** Backfills the mirror, oldest change first, so that it can be resumed, and what is changed meanwhile comes at the end. */
async function fillFrom(
  watched: Watched,
  type: RecordType,
  known: TypePosition | undefined,
  signal: AbortSignal,
  keep: (writer: StoreWriter, reached: TypePosition) => Promise<void>,
): Promise<TypePosition | undefined> {
  const until = searchableUntil(watched.feed)
  const total = known?.total ?? (await watched.records.count(type.name, []))
  const extraFields = known ? known.extraFields : extraFieldsOf(watched.platform, type.name)
  const keepFilling = (writer: StoreWriter, reached: TypePosition) => keep(writer, { ...reached, total, extraFields })
  const since = known && known.export === undefined ? known.since : await fillByExport(watched, type, known, total, signal, keepFilling)
  if (signal.aborted) return undefined
  for await (const records of changedSince(watched, type, since && since - LOOK_BACK_MS)) {
    const reached = Date.parse(String(records.at(-1)?.UpdatedDate))
    await backfill(watched, type, records, async (writer) => {
      if (!Number.isNaN(reached)) await keepFilling(writer, { since: reached, isComplete: false })
    })
    if (signal.aborted) return undefined
  }
  await dropDeleted(watched, type, await differingIds(watched, type))
  return { since: until, isComplete: true, extraFields, ...watched.untaken.of(type) }
}

/** From when on a poll reads. What is changed after the account's clock was set back is stamped with earlier moments. */
const lookBack = ({ feed }: Watched, since: number) => Math.min(since, feed.now()) - LOOK_BACK_MS

async function follow(watched: Watched, type: RecordType, known: TypePosition, signal: AbortSignal): Promise<TypePosition> {
  const { feed } = watched
  const until = searchableUntil(feed)
  const from = lookBack(watched, known.since)
  for await (const found of feed.changedSince?.(type.name, from) ?? versionsSince(watched, type, from)) {
    await refuseReplaced(watched, type, found)
    await review(watched, type, await applyNew(watched, type, found), from)
  }
  const deleted = await feed.deletedSince?.(type.name, from)
  const ids = deleted ? deleted.map(({ id }) => id) : await differingIds(watched, type)
  await refuseReplacedGone(watched, type, ids)
  await review(watched, type, await apply(watched, type, ids), from)
  await applyReferring(watched, type, ids)
  await review(watched, type, await apply(watched, type, known.untaken ?? []), from)
  return { since: until, isComplete: true, extraFields: await adoptExtraFields(watched, type, known, signal), ...watched.untaken.of(type) }
}

/** The same for notes, comments and memberships, whose parents are in the mirror by then. */
async function attachedIn(
  watched: Watched,
  type: RecordType,
  known: TypePosition | undefined,
  signal: AbortSignal,
  keep: (reached: TypePosition) => Promise<void>,
): Promise<TypePosition | undefined> {
  if (!known?.isComplete) return fillAll(watched, type, known && known.since - LOOK_BACK_MS, signal, keep)
  const until = searchableUntil(watched.feed)
  const followed = await followAll(watched, type, lookBack(watched, known.since), known.campaigns)
  return followed ? { since: until, isComplete: true, ...followed } : { ...known, isRefused: true }
}
