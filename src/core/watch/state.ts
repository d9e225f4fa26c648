import type { Binding } from '../binding.ts'
import type { Service } from '../service.ts'
import { ATTACHED, countAttached } from './attached/rows.ts'
import { type Budgeted, budgeted } from './budget.ts'
import { hasExtraFields } from './extra-fields.ts'
import { mirroredTypes } from './mirrored.ts'
import { connectionInUse } from './of-connection.ts'
import { answers, type Position, readPosition, type TypePosition } from './positions.ts'
import { accountOf } from './source.ts'
import { exhaustion, isAbout, isRecent, readStatus, requestsOn, type WatchStatus } from './status.ts'

/** How far the mirror of a workspace's account has come, and what watching it costs: the answer of `get_mirror`, by whichever process. */
export async function mirrorState(service: Service, number: number, binding: Binding) {
  const { store, now } = service
  const journal = store.journal(number)
  const [status, position] = [await readStatus(journal), await readPosition(journal)]
  const settings = watchedWith(service, binding, status)
  const { platformForNames: platform, isStore } = binding
  const isKnown = platform.feed !== undefined || platform.isRecalled === true
  const account = isKnown ? accountOf(platform) : (await connectionInUse(store.reader(number)))?.Account
  // The account of a CRM that was never opened is not known.
  const isSame = position && !position.isErasing && (account ?? position.account) === position.account
  const mirror = store.mirror(number)
  const records = isStore || !isSame ? [] : mirroredTypes(platform).map(({ name }) => name)
  const attached = records.length > 0 ? ATTACHED.filter((name) => isListed(position, name)) : []
  const isCurrent = (name: string) => !isKnown || hasExtraFields(platform, name, position?.types[name])
  const RecordTypes = await Promise.all([
    ...records.map(async (name) => stateOf(name, position?.types[name], isCurrent(name), await mirror.count(name, []))),
    ...attached.map(async (name) => stateOf(name, position?.types[name], isCurrent(name), await countAttached(mirror, name))),
  ])
  const isComplete = RecordTypes.length > 0 && RecordTypes.every(({ Complete }) => Complete)
  const { failure, exhausted } = settings ? (status ?? {}) : {}
  const trouble = failure ?? (settings && exhausted ? exhaustion(settings) : undefined)
  return {
    Watched: settings !== undefined,
    Reads: binding.readsMirror && isComplete ? 'mirror' : 'crm',
    Complete: isComplete,
    AsOf: isComplete ? (RecordTypes.map(({ AsOf }) => AsOf).sort()[0] ?? null) : null,
    IntervalSeconds: settings ? settings.intervalMs / 1000 : null,
    RequestsPerDay: settings?.requestsPerDay ?? null,
    RequestsToday: isSame && !isAbout(status, position?.account) ? 0 : requestsOn(status, now().toISOString()),
    LookedDate: status?.polled ?? null,
    FailedDate: failure?.at ?? null,
    ExhaustedDate: exhausted ?? null,
    Reason: trouble?.message ?? null,
    Advice: trouble?.hint ?? null,
    RecordTypes,
  }
}

/** How the account is watched: by this process or those beside it, or by another that has reported lately. */
function watchedWith({ watch, now }: Service, { isWatchable }: Binding, status: WatchStatus | undefined): Budgeted | undefined {
  if (isWatchable && watch) return budgeted(watch, status?.quota)
  if (!isWatchable || !status) return undefined
  return isRecent(status, now()) ? status : undefined
}

/** Whether the account lists notes, comments or memberships to us, as far as it is known. */
function isListed(position: Position | undefined, name: string): boolean {
  const known = position?.types[name]
  return known ? !known.isRefused : !position?.withheld?.includes(name)
}

function stateOf(name: string, type: TypePosition | undefined, isCurrent: boolean, records: number) {
  const since = type && answers(type) && isCurrent ? type.since : undefined
  return {
    RecordType: name,
    Complete: since !== undefined,
    Records: records,
    Total: since === undefined ? (type?.total ?? null) : null,
    AsOf: since === undefined ? null : new Date(since).toISOString(),
  }
}
