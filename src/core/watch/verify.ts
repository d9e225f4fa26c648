import { apply, applyNew, type Brought, rewriteRows } from './apply.ts'
import { verifyAll } from './attached/follow.ts'
import { attachedTypes } from './attached/rows.ts'
import { changedSince, versionOf } from './changed.ts'
import { mirroredTypes } from './mirrored.ts'
import { differingIds } from './missing.ts'
import { announceOfConnection } from './of-connection.ts'
import { readPosition } from './positions.ts'
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
}

/**
 * Compares all records of an account with its mirror, by their versions and values. What differs was missed: it is brought up, and announced. A row that has the version of the record
 * but not its values is written again, without an event, since nothing has changed in the account. Types whose mirror is not complete yet are left out.
 */
export async function verifyMirror(watched: Watched, signal: AbortSignal, progress: (compared: number) => void = () => {}): Promise<Verified[]> {
  const position = await readPosition(watched.service.store.journal(watched.workspace.number))
  const complete = mirroredTypes(watched.platform).filter(({ name }) => position?.types[name]?.isComplete)
  const verified: Verified[] = []
  let all = 0
  for (const type of complete) {
    let compared = 0
    const repaired: Brought[] = []
    let rewritten = 0
    for await (const records of changedSince(watched, type, undefined)) {
      if (signal.aborted) return verified
      repaired.push(
        ...(await applyNew(
          watched,
          type,
          records.map((record) => versionOf(type, record)),
        )),
      )
      rewritten += await rewriteRows(watched, type, records)
      compared += records.length
      progress(all + compared)
    }
    all += compared
    repaired.push(...(await apply(watched, type, await differingIds(watched, type))))
    verified.push({ type: type.name, compared, repaired: repaired.length + rewritten })
  }
  for (const type of attachedTypes(watched.platform).filter(({ name }) => position?.types[name]?.isComplete)) {
    const report = (compared: number) => {
      progress(all + compared)
      return !signal.aborted
    }
    const found = await verifyAll(watched, type, report)
    if (!found) continue
    all += found.compared
    verified.push({ type: type.name, ...found })
  }
  await recordRepairs(watched, verified)
  return verified
}

async function recordRepairs({ workspace, store }: Watched, verified: readonly Verified[]): Promise<void> {
  const repaired = verified.filter((one) => one.repaired > 0).map((one) => [one.type, one.repaired] as const)
  if (repaired.length > 0) await store.write(workspace.number, (writer) => announceOfConnection(writer, 'repaired', { Repaired: Object.fromEntries(repaired) }))
}

/** Verifies a mirror once in a night, from the one after it was filled on. Resolves to what was verified now. */
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
