import type { ErrorCode } from '../../contract/errors.ts'
import type { JournalReader, Store } from '../../platforms/store.ts'
import type { WatchSettings } from '../service.ts'

/** What the process that watches an account reports, for others to read. */
export interface WatchStatus extends WatchSettings {
  /** When it was reported. */
  readonly at: string
  /** The requests that were sent on the day of that moment, in UTC. */
  readonly requests: number
  /** Why the last look has failed, where it has. */
  readonly failure: WatchFailure | null
}

export interface WatchFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | null
  readonly at: string
}

/** The name of the position that holds it. */
export const MIRROR_WATCH = 'mirror watch'

export async function readStatus(journal: Pick<JournalReader, 'position'>): Promise<WatchStatus | undefined> {
  const text = await journal.position(MIRROR_WATCH)
  return text === undefined ? undefined : (JSON.parse(text) as WatchStatus)
}

/** A process that watches reports at least this often, whatever its interval. */
const RECENT_MS = 60_000

/** Whether a process still watches that has reported this. */
export const isRecent = ({ at, intervalMs }: WatchStatus, now: Date): boolean => Date.parse(at) + 2 * intervalMs + RECENT_MS > now.getTime()

/** The requests that were sent on the day of a moment. */
export const requestsOn = (status: WatchStatus | undefined, at: string): number => (status?.at.slice(0, 10) === at.slice(0, 10) ? status.requests : 0)

/** Reports further requests. A look that is still under way leaves the failure of the one before, where it gives none itself. */
export async function reportStatus(
  store: Store,
  workspace: number,
  { intervalMs, requestsPerDay }: WatchSettings,
  requests: number,
  failure?: WatchFailure | null,
): Promise<void> {
  await store.write(workspace, async (writer) => {
    const [known, at] = [await readStatus(writer), writer.now()]
    const status: WatchStatus = {
      intervalMs,
      requestsPerDay,
      at,
      requests: requestsOn(known, at) + requests,
      failure: failure === undefined ? (known?.failure ?? null) : failure,
    }
    await writer.setPosition(MIRROR_WATCH, JSON.stringify(status))
  })
}
