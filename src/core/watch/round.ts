import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordType } from '../../contract/record.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { apply, applyNew, dropDeleted, fill } from './apply.ts'
import { fillAll, followAll, review } from './attached/follow.ts'
import { attachedTypes } from './attached/rows.ts'
import { changedSince, versionsSince } from './changed.ts'
import { fillByExport } from './export.ts'
import { KNOWN_MS } from './known.ts'
import { mirroredTypes } from './mirrored.ts'
import { differingIds } from './missing.ts'
import { announceOfConnection } from './of-connection.ts'
import { type Position, readPosition, type TypePosition, writePosition } from './positions.ts'
import { accountOf } from './source.ts'
import type { Watched } from './watched.ts'

/**
 * How far each round looks back: a transaction of the CRM may show its rows minutes after the moment that they are stamped with. What was seen before is known by the version
 * that the mirror has.
 */
const LOOK_BACK_MS = 5 * 60_000

/** A gap that is longer than this is not replayed: the mirror is filled anew. */
const LONGEST_GAP_MS = 7 * 24 * 3_600_000

/** How long a mirror is kept once it is no longer read from. */
const ERASED_AFTER_MS = 4 * KNOWN_MS

/**
 * Looks once for what others have changed in an account. The first rounds fill the mirror and announce nothing. A type that the account does not let us read does not keep the
 * others from being followed: resolves to the first such refusal.
 */
export async function watchOnce(watched: Watched, signal: AbortSignal): Promise<unknown> {
  let position = await positionOf(watched, signal)
  let refusal: unknown
  for (const type of mirroredTypes(watched.platform)) {
    await unlessRefused(type, (known) =>
      known?.isComplete ? follow(watched, type, known) : fillFrom(watched, type, known, signal, (writer, reached) => keep(writer, type, reached)),
    )
  }
  for (const type of attachedTypes(watched.platform))
    await unlessRefused(type, (known) => attachedIn(watched, type, known, signal, (reached) => kept(type, reached)))
  return refusal

  async function unlessRefused(type: RecordType, look: (known: TypePosition | undefined) => Promise<TypePosition | undefined>): Promise<void> {
    if (signal.aborted) return
    try {
      const now = await look(position.types[type.name])
      if (now) await kept(type, now)
    } catch (error) {
      if (watched.platform.classify(error)?.code !== 'forbidden') throw error
      refusal ??= error
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
  const { service, workspace, platform, feed, store } = watched
  const account = accountOf(platform)
  const known = await readPosition(service.store.journal(workspace.number))
  const isSame = known?.account === account
  const since = Object.values(known?.types ?? {}).map((type) => type?.since ?? 0)
  const isGap = isSame && since.length > 0 && Math.min(...since) < feed.now() - LONGEST_GAP_MS && Object.values(known.types).every((type) => type?.isComplete)
  if (isSame && !isGap && !known.isErasing) return known
  const fresh: Position = { account, types: {} }
  if (known) {
    const erasing = { ...fresh, isErasing: true }
    await store.write(workspace.number, async (writer) => {
      await writePosition(writer, erasing)
      if (isGap) await announceOfConnection(writer, 'resynced')
    })
    // Reads that have begun, in any process, end on what they have found complete.
    await sleep(ERASED_AFTER_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await service.store.eraseMirror(workspace.number, signal)
    if (signal.aborted) return erasing
  }
  await store.write(workspace.number, (writer) => writePosition(writer, fresh))
  return fresh
}

/** Fills the mirror, oldest change first, so that it can be resumed, and what is changed meanwhile comes at the end. */
async function fillFrom(
  watched: Watched,
  type: RecordType,
  known: TypePosition | undefined,
  signal: AbortSignal,
  keep: (writer: StoreWriter, reached: TypePosition) => Promise<void>,
): Promise<TypePosition | undefined> {
  const began = watched.feed.now()
  const total = known?.total ?? (await watched.records.count(type.name, []))
  const keepFilling = (writer: StoreWriter, reached: TypePosition) => keep(writer, { ...reached, total })
  const since = known && known.export === undefined ? known.since : await fillByExport(watched, type, known, total, signal, keepFilling)
  if (signal.aborted) return undefined
  for await (const records of changedSince(watched, type, since && since - LOOK_BACK_MS)) {
    const reached = Date.parse(String(records.at(-1)?.UpdatedDate))
    await fill(watched, type, records, async (writer) => {
      if (!Number.isNaN(reached)) await keepFilling(writer, { since: reached, isComplete: false })
    })
    if (signal.aborted) return undefined
  }
  await dropDeleted(watched, type, await differingIds(watched, type))
  return { since: began, isComplete: true }
}

/** From when on a round looks. What is changed after the account's clock was set back is stamped with earlier moments. */
const lookBack = ({ feed }: Watched, since: number) => Math.min(since, feed.now()) - LOOK_BACK_MS

async function follow(watched: Watched, type: RecordType, { since }: TypePosition): Promise<TypePosition> {
  const { feed } = watched
  const began = feed.now()
  const from = lookBack(watched, since)
  for await (const found of feed.changedSince?.(type.name, from) ?? versionsSince(watched, type, from - feed.lagMs))
    await review(watched, type, await applyNew(watched, type, found), from)
  const deleted = await feed.deletedSince?.(type.name, from)
  const ids = deleted ? deleted.map(({ id }) => id) : await differingIds(watched, type)
  await review(watched, type, await apply(watched, type, ids), from)
  return { since: began, isComplete: true }
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
  const began = watched.feed.now()
  await followAll(watched, type, lookBack(watched, known.since))
  return { since: began, isComplete: true }
}
