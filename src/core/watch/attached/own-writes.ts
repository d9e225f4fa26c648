import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { Change } from '../../../contract/records/change.ts'
import { eventTypeOf } from '../../../contract/records/event.ts'
import type { Platform, StoredRecord } from '../../../platforms/platform.ts'
import type { StoreWriter } from '../../../platforms/store.ts'
import { typeOn } from '../../call/extension.ts'
import { idOf, parentField } from '../../call/records.ts'
import type { RecordChange } from '../../journal/changes.ts'
import { membershipId } from '../../verbs/attachments.ts'
import { bring } from '../apply.ts'
import { withTheirUsers } from '../mirrored.ts'
import type { Followed } from '../positions.ts'
import { bringRow, EVENTS, putRow } from './bring.ts'
import { attachedRow, countsRows, idIn, isSameRow, rowsOf } from './rows.ts'

/** Brings the mirror up to a note, comment or membership that was just added, changed or removed through the connector. Where the watch has found it first, it is announced already. */
export async function mirrorAttached(
  writer: StoreWriter,
  platform: Platform,
  followed: Followed,
  type: RecordType,
  change: RecordChange,
): Promise<RecordChange> {
  const { types, userIds } = followed
  const position = types[type.name]
  const theirs = (image: StoredRecord | null) => image && withTheirUsers(image, userIds)
  const [was, is] = [rowOf(type, change, theirs(change.before)), rowOf(type, change, theirs(change.after))]
  const image = is ?? was
  if (!position || !image) return change
  const mirror = writer.inMirror()
  const row = await mirror.get(type.name, idOf(type, image))
  if (position.isComplete) {
    if (await isFound(writer, type, row, was, is, change)) return { ...change, announced: true }
    await bringBefore(writer, platform, followed, type, row, was, change)
  }
  await putRow(writer, type, idOf(type, image), is)
  if (!countsRows(platform, type)) return change
  const id = idIn(type, image)
  const others = await rowsOf(mirror, type, id)
  if (is) await putRow(writer, type, id, attachedRow(type, { ...is, [type.id]: id }))
  else if ([...others.keys()].every((key) => key === id)) await putRow(writer, type, id, undefined)
  return change
}

/** What others have done before is announced before, so that nothing is attached to a record that was not created, and no change of theirs is lost. */
async function bringBefore(
  writer: StoreWriter,
  platform: Platform,
  { types, userIds }: Followed,
  type: RecordType,
  row: StoredRecord | undefined,
  was: StoredRecord | undefined,
  { record, id, on }: RecordChange,
): Promise<void> {
  const isKnown = !types[record.name]?.isComplete || (await writer.inMirror().get(record.name, id)) !== undefined
  if (!isKnown && on) await bring(writer, typeOn(platform, record), id, undefined, withTheirUsers(on, userIds), userIds)
  if (was && !(row && isSameRow(type, row, was))) await bringRow(writer, type, row, was, userIds, (name) => typeOn(platform, recordType(name)))
}

/** Whether the watch has found a write, and announced it. */
async function isFound(
  writer: StoreWriter,
  type: RecordType,
  row: StoredRecord | undefined,
  was: StoredRecord | undefined,
  is: StoredRecord | undefined,
  change: RecordChange,
): Promise<boolean> {
  if (!was) return row !== undefined
  if (is) return row !== undefined && isSameRow(type, row, is) && !isSameRow(type, was, is)
  return !row && (await isRemovedInCrm(writer, type, idOf(type, was), change))
}

/** Lines of a record that are searched for one about a note, comment or membership of it. */
const LINES = 100

async function isRemovedInCrm(writer: StoreWriter, type: RecordType, key: string, change: RecordChange): Promise<boolean> {
  const { added, removed } = EVENTS[type.name] as (typeof EVENTS)[string]
  const [addedTo, removedFrom] = [added, removed].map((eventName) => eventTypeOf(change.record, eventName))
  const { records } = await writer.find(Change.name, {
    where: [
      { field: 'RecordID', family: 'text', operator: 'eq', value: change.id },
      { field: 'EventType', family: 'text', operator: 'in', value: [addedTo as string, removedFrom as string] },
    ],
    order: { field: Change.createdField, descending: true },
    limit: LINES,
  })
  const last = records.find(({ Before, After }) => {
    const row = rowOf(type, change, (After ?? Before) as StoredRecord | null)
    return row && idOf(type, row) === key
  })
  return last?.EventType === removedFrom
}

/** The row of what a change shows. */
function rowOf(type: RecordType, { record, id }: RecordChange, image: StoredRecord | null): StoredRecord | undefined {
  if (!image) return undefined
  const ids = type.internalId ? { [type.id]: membershipId(id, image.CampaignID as string) } : {}
  return attachedRow(type, { ...image, ...ids, [parentField(type)]: id }, record.name)
}
