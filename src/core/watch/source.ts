import { comparisonsIn } from '../../contract/conditions.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { SEARCHED_TYPES } from '../../contract/search.ts'
import type { Platform, Reader, UserIds } from '../../platforms/platform.ts'
import { includedBy } from '../call/included.ts'
import type { Context } from '../call/types.ts'
import { hasExtraFields } from './extra-fields.ts'
import { type KnownMirror, knownMirror } from './known.ts'
import { asksForLeftOut } from './left-out.ts'
import { MirrorReader } from './mirror-reader.ts'
import { mirrorStore } from './mirrored.ts'
import { completeSince } from './positions.ts'
import { isRecent } from './status.ts'
import { userIdsOn } from './watched.ts'

/** Where a read is answered from. */
export interface Source {
  reader(type: RecordType): Reader
  /** Members of the answer: of a mirror, the moment up to which it has all changes. */
  readonly dated: { readonly AsOf?: string }
}

/** Where a read is answered from: the mirror, where it has all that is asked for and the caller does not want it fresh, or the platform itself. */
export function sourceOf(context: Context): Source | Promise<Source> {
  const { binding, operation, input } = context
  const isFresh = input.Fresh ?? operation.verb === 'get'
  if (isFresh || operation.record.inStore || !binding.readsMirror) return platformSource(context)
  return knownSource(context)
}

const platformSource = ({ binding, caller, budget }: Context): Source => ({
  reader: (type) => binding.platformFor(type).reader(caller.workspace.number, { budget }),
  dated: {},
})

/** Not awaited where it is known already: most reads of a mirror take less than a millisecond. */
function knownSource(context: Context): Source | Promise<Source> {
  const { service, binding, caller } = context
  const { number } = caller.workspace
  const [mirror, userIds] = [knownMirror(service.store, number), userIdsOn(binding.platform, number)]
  if (!(mirror instanceof Promise || userIds instanceof Promise)) return mirrorSource(context, mirror, userIds)
  return Promise.all([mirror, userIds]).then((known) => mirrorSource(context, ...known))
}

function mirrorSource(context: Context, mirror: KnownMirror, userIds: UserIds): Source {
  const { service, binding, caller, budget } = context
  const { number } = caller.workspace
  const { platform, store } = binding
  const since = answersSince(context, mirror)
  if (since === undefined) return platformSource(context)
  const direct = () => platform.reader(number, { budget })
  const reader = new MirrorReader(platform, mirrorStore(service.store, platform).mirror(number, { budget }), direct, userIds)
  return {
    reader: (type) => (type.inStore ? store.reader(number, { budget }) : reader),
    dated: { AsOf: new Date(since).toISOString() },
  }
}

/** Up to when a mirror has all changes of what is asked for; undefined where it cannot answer. */
function answersSince(context: Context, { position, status }: KnownMirror): number | undefined {
  const { service, binding, operation, search } = context
  const { platform } = binding
  if (!position || position.isErasing) return undefined
  // What nothing watches grows old: it was not polled since the service was started, or since it was told to watch again. Of a CRM that is down there is nothing newer.
  if (status && !isRecent(status, service.now()) && !platform.isRecalled) return undefined
  if (position.account !== accountOf(platform) || !isInMirror(context)) return undefined
  if (platform.feed?.leftOut && !position.leftOut) return undefined
  if (asksForLeftOut(position.leftOut?.[operation.record.name], search.where)) return undefined
  const types = typesOf(context)
  if (!types.every((type) => hasExtraFields(platform, type, position.types[type]))) return undefined
  return completeSince(position, types)
}

/** How the position of a feed names its account. */
export const accountOf = ({ account, name }: Platform): string => account ?? name

/** The record types that an answer is made of. */
function typesOf(context: Context): string[] {
  const { operation, input, search } = context
  const { record, verb } = operation
  if (verb === 'search') return [...((input.RecordTypes ?? SEARCHED_TYPES) as readonly string[])]
  const behind = comparisonsIn(search.where).flatMap(({ through }) => through?.type ?? [])
  const included = includedBy(context, record).flatMap(({ refers }) => (recordType(refers).inStore ? [] : [refers]))
  const attached = verb === 'get' ? record.children.map(({ type }) => type) : []
  return [record.name, ...behind, ...included, ...attached, ...(record.childOf?.types ?? [])]
}

/** Whether a mirror can tell. It has the users of the CRM, which are compared with ours as wholes only. */
function isInMirror({ operation: { record }, search: { where, order } }: Context): boolean {
  const isUser = (type: RecordType, field: string) => type.fields[field]?.refers === 'User'
  const isPart = comparisonsIn(where).some(
    ({ through, field, operator }) => isUser(through ? recordType(through.type) : record, field) && operator !== 'eq' && operator !== 'ne' && operator !== 'in',
  )
  return !isPart && !isUser(record, order.field)
}
