import type { StoreWriter } from '../../platforms/store.ts'
import { recordRepairs } from './repairs.ts'
import { accountOf } from './source.ts'
import { Ended } from './type-failure.ts'
import { isGone, repairsIn, type Verification, type Verified, verifyFrom } from './verify.ts'
import type { Watched } from './watched.ts'

/** The hour of the day, in UTC, from which on a mirror is verified. */
const FROM_HOUR = 2

/** When a verification goes on that has met an account which does not answer. */
const AGAIN_MS = 3_600_000

/** Pages, and ends of types, after which a poll that is due comes first. */
const SLICE = 10

/** The position that tells on which day a mirror was verified last. */
const VERIFIED = 'mirror verified'

/** The position that tells how far the verification of a night has come. */
const VERIFYING = 'mirror verifying'

interface Nightly extends Verification {
  /** The day on which it began. */
  readonly day: string
  readonly account: string
  /** Not before this moment it goes on. */
  readonly again?: string
}

/**
 * Verifies a mirror once in a night, from the one after it was backfilled on: some pages at least, and further ones until the next poll `isDue`. It goes on from there, after a
 * restart as well. Resolves to what was verified, once that is everything.
 */
export async function verifyNightly(watched: Watched, signal: AbortSignal, isDue: () => boolean = () => false): Promise<readonly Verified[]> {
  const { service, workspace, store } = watched
  const journal = service.store.journal(workspace.number)
  const [now, account] = [service.now(), accountOf(watched.platform)]
  const today = now.toISOString().slice(0, 10)
  const write = (work: (writer: StoreWriter) => Promise<void>) => store.write(workspace.number, work)
  const keep = (nightly: Nightly) => write((writer) => writer.setPosition(VERIFYING, JSON.stringify(nightly)))
  const [last, kept] = [await journal.position(VERIFIED), await journal.position(VERIFYING)]
  const begun = kept === undefined ? undefined : (JSON.parse(kept) as Nightly)
  const isUnderWay = begun?.account === account
  if (isUnderWay ? (begun.again ?? '') > now.toISOString() : last === today || (last !== undefined && now.getUTCHours() < FROM_HOUR)) return []
  let nightly: Nightly = isUnderWay ? begun : { day: today, account, verified: [] }
  const end = (verified: readonly Verified[]) =>
    write(async (writer) => {
      await recordRepairs(writer, repairsIn(verified))
      await writer.setPosition(VERIFIED, nightly.day)
      await writer.setPosition(VERIFYING, null)
    })
  let left = SLICE
  try {
    if (last === undefined || (!isUnderWay && (await isGone(watched)))) {
      await end([])
      return []
    }
    const verified = await verifyFrom(watched, signal, nightly, async (reached) => {
      nightly = { ...reached, day: nightly.day, account }
      await keep(nightly)
      return --left > 0 || !isDue()
    })
    if (verified) await end(verified)
    return verified ?? []
  } catch (error) {
    if (!signal.aborted && !(error instanceof Ended)) await keep({ ...nightly, again: new Date(now.getTime() + AGAIN_MS).toISOString() })
    throw error
  }
}
