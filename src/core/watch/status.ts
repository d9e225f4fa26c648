import type { ErrorCode } from '../../contract/errors.ts'
import type { JournalReader, Store } from '../../platforms/store.ts'
import type { Left } from './allowance.ts'
import { type Budgeted, reasonOf } from './budget.ts'
import { readPosition } from './positions.ts'

/** What the process that watches an account reports, for others to read. */
export interface WatchStatus extends Budgeted {
  /** The account that it is about. Absent in reports of earlier versions. */
  readonly account?: string | undefined
  /** When it was reported. */
  readonly at: string
  /** When a poll has last come to its end. Absent in reports of earlier versions. */
  readonly polled?: string | null
  /** The requests that were sent on the day of that moment, in UTC. */
  readonly requests: number
  /** Why the last poll has failed, where it has. */
  readonly failure: WatchFailure | null
  /** Since when the requests are used up, where they are. */
  readonly exhausted?: string | null
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

/** Whether a report is about an account: the workspace may have used another one before. */
export const isAbout = (status: WatchStatus | undefined, account: string | undefined): boolean => status?.account === undefined || status.account === account

/** The name of the position that has the requests to each account, which are kept when its mirror is begun anew. */
const MIRROR_REQUESTS = 'mirror requests'

/** Accounts whose requests are kept. */
const MOST_ACCOUNTS = 20

interface Spent extends Pick<WatchStatus, 'at' | 'requests'> {
  readonly bucket?: Left | undefined
}

async function readSpent(journal: Pick<JournalReader, 'position'>): Promise<{ readonly [account: string]: Spent | undefined }> {
  return JSON.parse((await journal.position(MIRROR_REQUESTS)) ?? '{}') as { readonly [account: string]: Spent | undefined }
}

/** How many requests to an account were left when that was last reported. */
export const recallLeft = async (journal: Pick<JournalReader, 'position'>, account: string): Promise<Left | undefined> =>
  (await readSpent(journal))[account]?.bucket

/** The requests that were sent on the day of a moment. */
export const requestsOn = (status: Pick<WatchStatus, 'at' | 'requests'> | undefined, at: string): number =>
  status?.at.slice(0, 10) === at.slice(0, 10) ? status.requests : 0

/** What is said of an account whose requests are used up. */
export function exhaustion(budgeted: Budgeted): Pick<WatchFailure, 'message' | 'hint'> {
  const { requestsPerDay } = budgeted
  const seconds = Math.ceil(86_400 / requestsPerDay)
  const reason = reasonOf(budgeted)
  const those = `The ${requestsPerDay.toLocaleString('en')} requests a day for watching${reason && `, ${reason},`}`
  const more = reason
    ? 'Raise CRM_WATCH_INTERVAL, have the limit of the account raised, or give more of it by CRM_WATCH_REQUESTS.'
    : 'Raise CRM_WATCH_REQUESTS, or CRM_WATCH_INTERVAL.'
  return {
    message: `${those} are used up for now: one is sent every ${seconds.toLocaleString('en')} s.`,
    hint: `What others change is announced later. ${more}`,
  }
}

/** What a process reports of an account. */
export interface Report {
  /** Those that were sent since the report before. */
  readonly requests?: number
  /** Undefined leaves what was reported before. */
  readonly failure?: WatchFailure | null | undefined
  /** Whether a poll has come to its end. */
  readonly isPolled?: boolean
  readonly exhausted?: string | null
  readonly bucket?: Left | undefined
}

export async function reportStatus(store: Store, workspace: number, { intervalMs, requestsPerDay, quota }: Budgeted, report: Report): Promise<void> {
  const { requests = 0, failure, isPolled = false, exhausted = null, bucket } = report
  await store.write(workspace, async (writer) => {
    const [last, account, at] = [await readStatus(writer), (await readPosition(writer))?.account, writer.now()]
    const known = isAbout(last, account) ? last : undefined
    const { [account ?? '']: spent = known as Spent | undefined, ...others } = await readSpent(writer)
    const status: WatchStatus = {
      intervalMs,
      requestsPerDay,
      quota,
      account,
      at,
      polled: isPolled ? at : (known?.polled ?? null),
      requests: requestsOn(spent, at) + requests,
      failure: failure === undefined ? (known?.failure ?? null) : failure,
      exhausted,
    }
    await writer.setPosition(MIRROR_WATCH, JSON.stringify(status))
    if (account === undefined) return
    const kept: [string, Spent | undefined][] = [
      ...Object.entries(others).slice(-MOST_ACCOUNTS),
      [account, { at, requests: status.requests, bucket: bucket ?? spent?.bucket }],
    ]
    await writer.setPosition(MIRROR_REQUESTS, JSON.stringify(Object.fromEntries(kept)))
  })
}
