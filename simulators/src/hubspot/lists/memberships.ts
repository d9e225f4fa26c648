import { afterIn, bodyOf, type Call, type Handler, jsonOf, limitIn, listIn, nothing, ok, paged, pagingAfter, textsOf } from '../call.ts'
import { invalid, unreadable } from '../errors.ts'
import { positionAfter } from '../objects/records.ts'
import { instant } from '../properties/values.ts'
import type { List, Membership } from './list.ts'
import { listOf } from './lists.ts'

const MOST = 100_000

/** Refuses a dynamic list, whose members cannot be set. */
function ownList(call: Call): List {
  const list = listOf(call)
  if (list.processingType === 'DYNAMIC') {
    throw invalid(`List ${list.listId} is processed dynamically; its memberships cannot be changed.`, { subCategory: 'ILS.INVALID_LIST_PROCESSING_TYPE' })
  }
  return list
}

function idsOf(call: Call): string[] {
  const body = jsonOf(call)
  if (!Array.isArray(body)) throw unreadable('Cannot deserialize value of type `java.util.ArrayList`')
  return textsOf(body)
}

interface Changed {
  readonly recordsIdsAdded: string[]
  readonly recordIdsRemoved: string[]
  readonly recordIdsMissing: string[]
}

/** Members that are added again, and non-members that are removed, are not reported. */
function change({ portal }: Call, list: List, toAdd: readonly string[], toRemove: readonly string[]): Changed {
  if (toAdd.length + toRemove.length > MOST) throw invalid(`At most ${MOST} records can be added or removed at once.`)
  const { records } = portal.typeWithId(list.objectTypeId)
  const missing = [...new Set([...toAdd, ...toRemove])].filter((id) => !records.live(id))
  const added = [...new Set(toAdd)].filter((id) => records.live(id) && !list.members.has(id))
  const removed = [...new Set(toRemove)].filter((id) => list.members.delete(id))
  for (const recordId of added) list.members.set(recordId, { recordId, since: portal.now() })
  SORTED.delete(list.members)
  return { recordsIdsAdded: added, recordIdsRemoved: removed, recordIdsMissing: missing }
}

export const addMembers: Handler = (call) => {
  const ids = idsOf(call)
  return ok(change(call, ownList(call), ids, []))
}

export const removeMembers: Handler = (call) => {
  const ids = idsOf(call)
  return ok(change(call, ownList(call), [], ids))
}

export const changeMembers: Handler = (call) => {
  const body = bodyOf(call)
  return ok(change(call, ownList(call), textsOf(listIn(body, 'recordIdsToAdd') ?? []), textsOf(listIn(body, 'recordIdsToRemove') ?? [])))
}

export const clearMembers: Handler = (call) => {
  const { members } = ownList(call)
  members.clear()
  SORTED.delete(members)
  return nothing
}

/** Lets one record take the place of another that was merged into it. */
export function handOver({ members }: List, from: string, to: string): void {
  const member = members.get(from)
  if (!member) return
  members.delete(from)
  if (!members.has(to)) members.set(to, { ...member, recordId: to })
  SORTED.delete(members)
}

/** Members by id, cached until they change, so that a page does not sort them again. */
const SORTED = new WeakMap<Map<string, Membership>, readonly Membership[]>()

function sorted(members: Map<string, Membership>): readonly Membership[] {
  const cached = SORTED.get(members) ?? [...members.values()].sort((a, b) => Number(a.recordId) - Number(b.recordId))
  SORTED.set(members, cached)
  return cached
}

const MOST_ON_PAGE = 250

export const listMembers: Handler = (call) => {
  const list = listOf(call)
  const { records } = call.portal.typeWithId(list.objectTypeId)
  const limit = limitIn(call, 100, MOST_ON_PAGE)
  const after = afterIn(call)
  const all = sorted(list.members)
  const { page, more } = paged(
    live(all, after === undefined ? 0 : positionAfter(all, ({ recordId }) => Number(recordId), Number(after)), (id) => records.live(id) !== undefined),
    limit,
  )
  const results = page.map(({ recordId, since }) => ({ recordId, membershipTimestamp: instant(since) }))
  return ok({ total: list.members.size, results, ...(more && pagingAfter(call, page.at(-1)?.recordId ?? '')) })
}

/** Members in the order of joining; the cursor is an offset. */
export const listMembersByTime: Handler = (call) => {
  const list = listOf(call)
  const { records } = call.portal.typeWithId(list.objectTypeId)
  const limit = limitIn(call, 100, MOST_ON_PAGE)
  const from = Number(afterIn(call) ?? 0)
  const all = [...list.members.values()].filter(({ recordId }) => records.live(recordId))
  const results = all.slice(from, from + limit).map(({ recordId, since }) => ({ recordId, membershipTimestamp: instant(since) }))
  return ok({ total: all.length, results, ...(from + limit < all.length && pagingAfter(call, String(from + limit))) })
}

function* live(members: readonly Membership[], from: number, isLive: (id: string) => boolean): Generator<Membership> {
  for (let at = from; at < members.length; at++) {
    const member = members[at] as Membership
    if (isLive(member.recordId)) yield member
  }
}

export const listsOfRecord: Handler = (call) => {
  const { portal } = call
  const type = portal.type(call.param('type'))
  const id = call.param('id')
  const results = [...portal.lists.values()].flatMap((list) => {
    const member = list.objectTypeId === type.id && list.deletedAt === undefined && type.records.live(id) ? list.members.get(id) : undefined
    if (!member) return []
    const time = instant(member.since)
    return [{ listId: list.listId, listVersion: list.version, firstAddedTimestamp: time, lastAddedTimestamp: time }]
  })
  return ok({ total: results.length, results })
}
