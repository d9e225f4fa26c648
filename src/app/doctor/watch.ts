import { reasonOf } from '../../core/watch/budget.ts'
import { MIRROR_FEED, type Position } from '../../core/watch/positions.ts'
import { exhaustion, MIRROR_WATCH, requestsOn, type WatchStatus } from '../../core/watch/status.ts'
import type { Finding } from '../../transports/cli/app.ts'
import type { AskStore } from './audit.ts'
import { findingsIn } from './findings.ts'

const DAY_MS = 86_400_000

const ACCOUNT = 'Look at what is said about the account under Platform, or at its connection with test_connection.'

/** How far the accounts of CRMs were followed, and what that costs. */
export async function* watchFindings(area: string, ask: AskStore): AsyncGenerator<Finding> {
  const { good, doubtful } = findingsIn(area)
  const valuesOf = (position: string) =>
    ask('SELECT w."Name" AS "Workspace", p."Value" FROM "Position" p JOIN "Workspace" w ON w."Number" = p."Workspace" WHERE p."Name" = ? ORDER BY w."Number"', [
      position,
    ])
  for (const { Workspace, Value } of await valuesOf(MIRROR_FEED)) {
    const types = Object.values((JSON.parse(String(Value)) as Position).types)
    const complete = types.filter((type) => type?.isComplete)
    const since = Math.min(...types.map((type) => type?.since ?? 0))
    const where = `workspace ${Workspace}`
    if (complete.length < types.length || types.length === 0) yield good('Watch', `${where}: the mirror of its CRM is being backfilled`)
    else if (since > Date.now() - DAY_MS) yield good('Watch', `${where}: its CRM was followed up to ${new Date(since).toISOString()}`)
    else
      yield doubtful(
        'Watch',
        `${where}: its CRM was not followed since ${new Date(since).toISOString()}.`,
        'Run crm serve, without CRM_WATCH_INTERVAL=off: what was changed more than seven days ago is not told one by one. Or switch Watch off for the connection.',
      )
  }
  for (const { Workspace, Value } of await valuesOf(MIRROR_WATCH)) {
    const status = JSON.parse(String(Value)) as WatchStatus
    const requests = requestsOn(status, new Date().toISOString())
    const reason = reasonOf(status)
    const says = `workspace ${Workspace}: ${requests.toLocaleString('en')} of ${status.requestsPerDay.toLocaleString('en')} requests today${reason && `, ${reason}`}`
    const { message, hint } = exhaustion(status)
    if (!status.failure && status.exhausted) yield doubtful('Watch requests', `${says}. ${message}`, hint ?? ACCOUNT)
    else if (!status.failure) yield good('Watch requests', says)
    else yield doubtful('Watch requests', `${says}. The last poll has failed: ${status.failure.message}`, status.failure.hint ?? ACCOUNT)
  }
}
