import { comparisonsIn } from '../../contract/conditions.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { SEARCHED_TYPES } from '../../contract/search.ts'
import type { Platform, Reader } from '../../platforms/platform.ts'
import { includedBy } from '../call/included.ts'
import type { Context } from '../call/types.ts'
import { knownMirror } from './known.ts'
import { MirrorReader } from './mirror-reader.ts'
import { mirrorStore } from './mirrored.ts'
import type { Position } from './positions.ts'
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
  return mirrorSource(context).then((source) => source ?? platformSource(context))
}

const platformSource = ({ binding, caller, budget }: Context): Source => ({
  reader: (type) => binding.platformFor(type).reader(caller.workspace.number, { budget }),
  dated: {},
})

async function mirrorSource(context: Context): Promise<Source | undefined> {
  const { service, binding, caller, operation, search, budget } = context
  const { number } = caller.workspace
  const { platform, store } = binding
  const { position, status } = await knownMirror(service.store, number)
  // What nothing watches grows old: it was not looked at since the service was started, or since it was told to watch again.
  if (!position || position.isErasing || (status && !isRecent(status, service.now()))) return undefined
  if (position.account !== accountOf(platform) || !isInMirror(context)) return undefined
  const since = sinceOf(position, typesOf(context))
  if (since === undefined || (await platform.feed?.asksForLeftOut?.(operation.record.name, search.where))) return undefined
  const direct = platform.reader(number, { budget })
  const reader = new MirrorReader(platform, mirrorStore(service.store, platform).mirror(number, { budget }), direct, await userIdsOn(platform, number))
  return {
    reader: (type) => (type.inStore ? store.reader(number, { budget }) : reader),
    dated: { AsOf: new Date(since).toISOString() },
  }
}

/** How the position of a feed names its account. */
export const accountOf = ({ account, name }: Platform): string => account ?? name

/** Up to when a mirror has all changes of these types; undefined where it does not have all of their records. */
function sinceOf({ types }: Position, names: readonly string[]): number | undefined {
  const known = names.map((name) => types[name])
  return known.every((type) => type?.isComplete) ? Math.min(...known.map((type) => type?.since as number)) : undefined
}

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
