import type { Binding } from '../binding.ts'
import type { Service, WatchSettings } from '../service.ts'
import { mirroredTypes } from './mirrored.ts'
import { readPosition, type TypePosition } from './positions.ts'
import { isRecent, readStatus, requestsOn, type WatchStatus } from './status.ts'

/** How far the mirror of a workspace's account has come, and what watching it costs: the answer of `get_mirror`, by whichever process. */
export async function mirrorState(service: Service, number: number, binding: Binding) {
  const { store, now } = service
  const journal = store.journal(number)
  const [status, position] = [await readStatus(journal), await readPosition(journal)]
  const settings = watchedWith(service, binding, status)
  const { platformForNames: platform, isStore } = binding
  // The account of a CRM that could not be opened yet is not known.
  const isSame = position && !position.isErasing && (!platform.feed || position.account === (platform.account ?? platform.name))
  const mirror = store.mirror(number)
  const types = isStore || !isSame ? [] : mirroredTypes(platform)
  const RecordTypes = await Promise.all(types.map(async ({ name }) => stateOf(name, position?.types[name], await mirror.count(name, []))))
  const isComplete = types.length > 0 && RecordTypes.every(({ Complete }) => Complete)
  const failure = settings ? status?.failure : undefined
  return {
    Watched: settings !== undefined,
    Reads: binding.readsMirror && isComplete ? 'mirror' : 'crm',
    Complete: isComplete,
    AsOf: isComplete ? (RecordTypes.map(({ AsOf }) => AsOf).sort()[0] ?? null) : null,
    IntervalSeconds: settings ? settings.intervalMs / 1000 : null,
    RequestsPerDay: settings?.requestsPerDay ?? null,
    RequestsToday: requestsOn(status, now().toISOString()),
    LookedDate: status?.at ?? null,
    FailedDate: failure?.at ?? null,
    Reason: failure?.message ?? null,
    Advice: failure?.hint ?? null,
    RecordTypes,
  }
}

/** How the account is watched: by this process or those beside it, or by another that has reported lately. */
function watchedWith({ watch, now }: Service, { isWatchable }: Binding, status: WatchStatus | undefined): WatchSettings | undefined {
  if (!isWatchable || watch || !status) return isWatchable ? watch : undefined
  return isRecent(status, now()) ? status : undefined
}

const stateOf = (name: string, type: TypePosition | undefined, records: number) => ({
  RecordType: name,
  Complete: type?.isComplete ?? false,
  Records: records,
  Total: type?.isComplete ? null : (type?.total ?? null),
  AsOf: type?.isComplete ? new Date(type.since).toISOString() : null,
})
