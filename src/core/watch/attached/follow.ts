import { isDeepStrictEqual } from 'node:util'
import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { Membership } from '../../../contract/records/campaign.ts'
import type { AttachedFeed, Condition } from '../../../platforms/platform.ts'
import { typeOn } from '../../call/extension.ts'
import { idOf } from '../../call/records.ts'
import type { Brought } from '../apply.ts'
import { differing, firstCreated, type Side } from '../missing.ts'
import type { ReadCampaign, ReadCampaigns, TypePosition } from '../positions.ts'
import { searchableUntil, type Watched } from '../watched.ts'
import { applyAttached, applyFound, applyMembers, fillAttached } from './apply.ts'
import { refreshCampaigns } from './campaigns.ts'
import { everyRow, idIn, withoutParent } from './rows.ts'

/** Backfills the mirror. Resolves to undefined where the platform does not list the type to us, or it was aborted. */
export async function fillAll(
  watched: Watched,
  type: RecordType,
  since: number | undefined,
  signal: AbortSignal,
  keep: (reached: TypePosition) => Promise<void>,
): Promise<TypePosition | undefined> {
  const until = searchableUntil(watched.feed)
  for await (const found of pagesOf(watched, type, since)) {
    if (!found) return undefined
    await fillAttached(watched, type, found)
    // Memberships come campaign by campaign: how far the times have come says nothing.
    if (found.length > 0 && type.name !== Membership.name) await keep({ since: Math.max(...found.map(({ at }) => at)), isComplete: false })
    if (signal.aborted) return undefined
  }
  return { since: until, isComplete: true }
}

/** Looks for what was added, changed and removed since a moment. Resolves to what has to be known of it by the next poll; to undefined where the platform does not list the type to us. */
export async function followAll(
  watched: Watched,
  type: RecordType,
  from: number,
  read: ReadCampaigns = {},
): Promise<Pick<TypePosition, 'campaigns'> | undefined> {
  const { feed } = watched
  if (listsOf(watched, type)) return { campaigns: await followLists(watched, from, read) }
  const campaigns = new Set<string>()
  for await (const found of pagesOf(watched, type, from)) {
    if (!found) return undefined
    await applyFound(watched, type, found)
    if (type.name === Membership.name) for (const { record } of found) campaigns.add(record.CampaignID as string)
  }
  const deleted = await feed.deletedSince?.(type.name, from)
  if (deleted) await applyAttached(watched, type, [...new Set(deleted.map(({ id }) => id))])
  else if (feed.attached?.created) await applyAttached(watched, type, await differingIds(watched, type))
  else await verifyAll(watched, type, () => true)
  if (type.name === Membership.name) for (const { id } of deleted ?? []) campaigns.add(campaignIn(id))
  await refreshCampaigns(watched, campaigns)
  return {}
}

const campaignIn = (membership: string) => membership.slice(membership.indexOf(':') + 1)

/** Compares all with the mirror. Resolves to undefined where the platform does not list the type to us. */
export async function verifyAll(watched: Watched, type: RecordType, goOn: (compared: number) => boolean) {
  let [compared, repaired] = [0, 0]
  const seen = new Set<string>()
  for await (const found of pagesOf(watched, type, undefined)) {
    if (!found) return undefined
    repaired += await applyFound(watched, type, found)
    for (const { record } of found) seen.add(idOf(type, record))
    // A CRM may list notes and comments together.
    compared += found.filter(({ on }) => on !== undefined).length
    if (!goOn(compared)) return undefined
  }
  const unseen = new Set((await everyRow(watched.rows, type, [], [])).map((row) => idIn(type, row)).filter((id) => !seen.has(id)))
  repaired += await applyAttached(watched, type, [...unseen])
  if (type.name === Membership.name) await refreshCampaigns(watched, new Set([...unseen].map(campaignIn)))
  return { compared, repaired }
}

/**
 * What was attached to records that are gone may belong to those that they were merged into. A record that is new to the mirror and older than what was known was restored,
 * and so was what is attached to it.
 */
export async function review(watched: Watched, type: RecordType, brought: readonly Brought[], since: number): Promise<void> {
  const ids = new Map<string, Set<string>>()
  const add = (name: string, id: string) => ids.set(name, (ids.get(name) ?? new Set()).add(id))
  for (const { attached } of brought) for (const { type: name, id } of attached) add(name, id)
  const restored = brought.flatMap(({ created }) => (created && Date.parse(String(created[type.createdField])) < since ? [idOf(type, created)] : []))
  for (const { type: name } of type.children) {
    if (listsOf(watched, recordType(name))) continue
    // With a request for many of them, since hundreds may be restored at once.
    for (let at = 0; at < restored.length; at += TOGETHER)
      for (const id of (await watched.feed.attached?.idsOn(name, type.name, restored.slice(at, at + TOGETHER))) ?? []) add(name, id)
  }
  for (const [name, some] of ids) {
    const child = typeOn(watched.platform, recordType(name))
    if (!listsOf(watched, child)) await applyAttached(watched, child, [...some])
  }
}

/** Of so many records at once it is asked what is attached to them: as many as fit into an address. */
const TOGETHER = 50

/** Whether the members of campaigns are compared by their numbers. */
const listsOf = ({ feed }: Watched, { name }: RecordType) => name === Membership.name && feed.attached?.campaigns !== undefined

/**
 * A campaign is read where its number of members differs, or one was added lately that the mirror does not have. One of which that is true even then, since it also has members who
 * are no leads, is read again once anything of it has changed. Resolves to those.
 */
async function followLists(watched: Watched, from: number, read: ReadCampaigns): Promise<ReadCampaigns> {
  const { feed, rows } = watched
  const differing = new Map<string, ReadCampaign>()
  for (const [campaign, of] of (await feed.attached?.campaigns?.sizes()) ?? []) {
    const where: Condition[] = [{ field: 'CampaignID', family: 'text', operator: 'eq', value: campaign }]
    const isInMirror = async (one: ReadCampaign) => {
      if (one.rows !== one.size || (one.addedAt ?? 0) < from) return one.rows === one.size
      const { records } = await rows.find(Membership.name, { where, order: { field: Membership.createdField, descending: true }, limit: 1 })
      return Date.parse(String(records[0]?.[Membership.createdField])) >= (one.addedAt ?? 0)
    }
    const present = async (): Promise<ReadCampaign> => ({ ...of, rows: await rows.count(Membership.name, where) })
    let now = await present()
    if (!(await isInMirror(now)) && !isDeepStrictEqual(read[campaign], now)) {
      await applyMembers(watched, campaign)
      now = await present()
    }
    if (!(await isInMirror(now))) differing.set(campaign, now)
  }
  return Object.fromEntries(differing)
}

/** The ids of notes or comments that only one of account and mirror has. */
function differingIds({ feed, rows }: Watched, type: RecordType): Promise<string[]> {
  const created = feed.attached?.created as NonNullable<AttachedFeed['created']>
  const ours: Side = {
    count: (where) => rows.count(type.name, [withoutParent(type), ...where]),
    ids: async (where) => (await everyRow(rows, type, [withoutParent(type), ...where], [])).map((row) => idOf(type, row)),
  }
  const theirs: Side = { count: (where) => created.count(type.name, where), ids: (where) => created.ids(type.name, where) }
  return differing(type, theirs, ours, { to: searchableUntil(feed) }, () => firstCreated(rows, type))
}

/** The pages of a type; one that is undefined where the platform does not list it to us. */
async function* pagesOf({ feed }: Watched, type: RecordType, since: number | undefined) {
  let cursor: string | undefined
  do {
    const page = await feed.attached?.changedSince(type.name, since, cursor)
    yield page?.records
    cursor = page?.cursor
  } while (cursor !== undefined)
}
