import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { Campaign, Membership } from '../../../contract/records/campaign.ts'
import type { EventName } from '../../../contract/records/event.ts'
import type { RecordName, StoredRecord, UserIds } from '../../../platforms/platform.ts'
import type { StoreWriter } from '../../../platforms/store.ts'
import { idOf } from '../../call/records.ts'
import { changeOn } from '../../journal/changes.ts'
import { announce } from '../announce.ts'
import { recordOf, withOurUsers } from '../mirrored.ts'
import { areEqual, everyRow, idIn, isSameRow, ofParent, parentIn, shownIn } from './rows.ts'

/** What events say of each type. There is none for a note or comment with another text: it is removed, and added. */
export const EVENTS: { readonly [type: string]: { readonly added: EventName; readonly removed: EventName; readonly changed?: EventName } } = {
  Note: { added: 'note_added', removed: 'note_removed' },
  Comment: { added: 'comment_added', removed: 'comment_removed' },
  Membership: { added: 'added_to_campaign', removed: 'removed_from_campaign', changed: 'campaign_status_changed' },
}

/** Sets a row of the mirror; undefined removes it. Nothing is announced. */
export async function putRow(writer: StoreWriter, type: RecordType, key: string, row: StoredRecord | undefined): Promise<void> {
  const mirror = writer.inMirror()
  if (!row) await mirror.delete(type.name, key)
  else if (await mirror.get(type.name, key)) await mirror.update(type.name, key, row)
  else await mirror.create(type.name, row)
}

/** Brings one row of the mirror to what it is, and announces it. Rows are found without a lock: one that another transaction has brought up meanwhile is left as it is. */
export async function bringRow(
  writer: StoreWriter,
  type: RecordType,
  was: StoredRecord | undefined,
  is: StoredRecord | undefined,
  userIds: UserIds,
  typeOf: (on: string) => RecordType,
): Promise<void> {
  const image = (is ?? was) as StoredRecord
  const row = await writer.inMirror().get(type.name, idOf(type, image))
  if (row && was ? !areEqual(type, row, was) : row !== was) return
  await putRow(writer, type, idOf(type, image), is)
  if (was && is && isSameRow(type, was, is)) return
  const parent = parentIn(type, image)
  const on = parent && (await writer.inMirror().get(parent.type, parent.id))
  if (!parent || !on) return
  const { added, removed, changed } = EVENTS[type.name] as (typeof EVENTS)[string]
  const [before, after] = [was, is].map((row) => (row ? shownIn(type, withOurUsers(row, userIds)) : null)) as [StoredRecord | null, StoredRecord | null]
  const record = typeOf(parent.type)
  // Who has removed it, or given it another text, is not known.
  const author = !was && typeof is?.AuthorID === 'string' ? userIds.fromPlatform(is.AuthorID) : undefined
  const tell = (eventName: EventName, from: StoredRecord | null, to: StoredRecord | null) =>
    announce(writer, changeOn(record, recordOf(record, on, userIds), eventName, from, to), author)
  if (before && after && changed) return tell(changed, before, after)
  if (before) await tell(removed, before, null)
  if (after) await tell(added, null, after)
}

/** Takes what is attached to a record out of the mirror with it. Resolves to what it was, by type, as it may belong to other records, or to the one this was merged into. */
export async function dropAttached(writer: StoreWriter, type: RecordType, id: string): Promise<RecordName[]> {
  const mirror = writer.inMirror()
  const dropped: RecordName[] = []
  for (const child of type.children.map((one) => recordType(one.type)))
    for (const row of await everyRow(mirror, child, [ofParent(child, type.name, id)])) {
      await mirror.delete(child.name, idOf(child, row))
      dropped.push({ type: child.name, id: idIn(child, row) })
    }
  if (type.name === Campaign.name)
    for (const row of await everyRow(mirror, Membership, [{ field: Campaign.id, family: 'text', operator: 'eq', value: id }], []))
      await mirror.delete(Membership.name, idOf(Membership, row))
  return dropped
}
