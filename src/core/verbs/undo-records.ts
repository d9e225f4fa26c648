import { LIMITS } from '../../contract/limits.ts'
import type { Verb } from '../../contract/operation.ts'
import { OPERATIONS, recordType, STORE_TYPES } from '../../contract/operations.ts'
import { type RecordType, referencesOf } from '../../contract/record.ts'
import { Campaign, Membership, removeLeadsFromCampaign } from '../../contract/records/campaign.ts'
import type { EventName } from '../../contract/records/event.ts'
import { addLeadsToCampaign } from '../../contract/records/lead.ts'
import type { Condition, Platform, StoredRecord, Writer } from '../../platforms/platform.ts'
import { typeOn } from '../call/extension.ts'
import { idOf, newRecord, nextRevision, parentField, shown } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { changeOn, changeTo, differences } from '../journal/changes.ts'
import { detailsOf, membershipId } from './attachments.ts'
import { isOwn, isSameRevision } from './context.ts'
import { isReferredTo } from './references.ts'
import { changedSince, type Undo, type Undos } from './undo-kinds.ts'
import { lockUnique, refuseTaken, uniqueFields } from './unique-values.ts'

const operationOf = (verb: Verb) => (type: RecordType) => OPERATIONS.find((one) => one.verb === verb && one.record.name === type.name)

/** Refuses to restore a reference to what is gone, and a unique value that another record has by now. */
async function checkRestored(context: Context, writer: Writer, type: RecordType, id: string, values: StoredRecord): Promise<void> {
  for (const { field, refers, name } of referencesOf(type)) {
    const isItself = refers === type.name && values[field] === id
    if (typeof values[field] !== 'string' || STORE_TYPES.includes(refers) || isItself) continue
    if (!(await writer.getForReference(refers, values[field]))) throw changedSince(`The ${name} that it referred to is gone.`)
  }
  await lockUnique(writer, type, values)
  await refuseTaken(context, writer, type, values, id)
}

/** The same of the unique values that come back with what is attached to a record. */
async function checkChildren(context: Context, writer: Writer, type: RecordType, parent: string): Promise<void> {
  for (const field of uniqueFields(type)) {
    const where: Condition[] = [
      { field: parentField(type), family: 'text', operator: 'eq', value: parent },
      { field, family: 'text', operator: 'ne', value: null },
    ]
    const { records } = await writer.find(type.name, { where, order: { field: type.id, descending: false }, limit: LIMITS.references })
    for (const record of records) await checkRestored(context, writer, type, idOf(type, record), { [field]: record[field] as string })
  }
}

/** The values that a record does not have now. */
const differing = (values: StoredRecord, record: StoredRecord): StoredRecord =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => record[name] !== value))

/** Whether two images have the same id. */
const isAbout = (image: unknown, other: StoredRecord, id: string) => Object(image)[id] === other[id]

/** How each kind of change of a record is undone. Where an earlier attempt of the same call, whose outcome was unknown, has done it already, that is recorded. */
export const RECORD_UNDOS: Undos = {
  created: {
    operation: operationOf('delete'),
    tier: 'delete',
    async apply(writer, { context, platform, type, id, after, restored }) {
      const found = await writer.getWithTotals(type.name, id)
      if (!found && (await isOwn(writer, type, 'deleted', id))) return changeTo(type, 'deleted', after, null)
      if (!found) throw changedSince(`The ${type.name} is gone.`)
      checkUnchanged(platform, found.record, after)
      // A restored record has its attachments back, so they are no later change.
      const attached = !restored && Object.values(found.totals).some((count) => count > 0)
      if (attached || (await hasMembers(writer, type, id))) throw changedSince('Something was attached to it.')
      if (await isReferredTo(context, writer, type, id)) throw changedSince('Other records refer to it.')
      await writer.delete(type.name, id)
      return changeTo(type, 'deleted', found.record, null)
    },
  },
  updated: {
    operation: operationOf('update'),
    tier: 'write',
    async apply(writer, { context, platform, type, id, before, after }) {
      const record = await writer.get(type.name, id)
      if (!record) throw changedSince(`The ${type.name} is gone.`)
      const isUndone = Object.keys(differences(type, before, record)).length === 0 && (await isOwn(writer, type, 'updated', id))
      if (isUndone) return changeTo(type, 'updated', after, record)
      checkUnchanged(platform, record, after)
      const gone = Object.keys(differences(type, before, after)).find((name) => type.userDefined === undefined && !Object.hasOwn(type.fields, name))
      if (gone !== undefined) throw changedSince(`The field ${gone} was retired.`)
      const restored = Object.fromEntries(Object.entries(before).filter(([name]) => name !== type.id && name !== type.createdField))
      await checkRestored(context, writer, type, id, differing(restored, record))
      const applied = { ...restored, ...nextRevision(record, writer.now()) }
      const now = await writer.update(type.name, id, applied, true)
      if (!now) throw changedSince(`The ${type.name} is gone.`)
      return changeTo(type, 'updated', record, now)
    },
  },
  deleted: {
    tier: 'write',
    restores: true,
    async apply(writer, { context, platform, type, id, before }) {
      if (await writer.get(type.name, id)) throw changedSince(`The ${type.name} is there again.`)
      await checkRestored(context, writer, type, id, before)
      for (const child of type.children) await checkChildren(context, writer, typeOn(platform, recordType(child.type)), id)
      const record = { ...before, ...nextRevision(before, writer.now()) }
      await writer.restore(type.name, record)
      return changeTo(type, 'created', null, record)
    },
  },
  note_added: undoAttach('Note', 'note_removed'),
  note_removed: undoDetach('Note', 'note_added'),
  comment_added: undoAttach('Comment', 'comment_removed'),
  comment_removed: undoDetach('Comment', 'comment_added'),
  added_to_campaign: {
    operation: () => removeLeadsFromCampaign,
    tier: 'delete',
    async apply(writer, { type, id, after }) {
      const parent = await parentOf(writer, type, id)
      const membership = membershipId(id, after.CampaignID as string)
      const record = await writer.get(Membership.name, membership)
      const isUndone = !record && (await isOwn(writer, type, 'removed_from_campaign', id, ({ Before }) => isAbout(Before, after, 'CampaignID')))
      // The lead may have been removed and added again.
      if (!isUndone && record?.CreatedDate !== after.CreatedDate) throw changedSince('The lead is no longer in the campaign.')
      if (!isUndone) await writer.delete(Membership.name, membership)
      return changeOn(type, parent, 'removed_from_campaign', after, null)
    },
  },
  campaign_status_changed: {
    operation: () => addLeadsToCampaign,
    tier: 'write',
    async apply(writer, { context, platform, type, id, before, after }) {
      const parent = await parentOf(writer, type, id)
      const membership = await writer.get(Membership.name, membershipId(id, after.CampaignID as string))
      const isUndone =
        membership !== undefined &&
        Object.keys(differing(detailsOf(before), membership)).length === 0 &&
        (await isOwn(writer, type, 'campaign_status_changed', id, ({ After }) => isAbout(After, after, 'CampaignID')))
      if (isUndone) return changeOn(type, parent, 'campaign_status_changed', after, before)
      if (!membership || membership.CreatedDate !== after.CreatedDate || Object.keys(differing(detailsOf(after), detailsOf(membership))).length > 0)
        throw changedSince('The lead has another status or external id in the campaign.')
      const details = differing(detailsOf(before), membership)
      await checkRestored(context, writer, typeOn(platform, Membership), membership.MembershipID as string, details)
      await writer.update(Membership.name, membership.MembershipID as string, details)
      return changeOn(type, parent, 'campaign_status_changed', after, before)
    },
  },
  removed_from_campaign: {
    operation: () => addLeadsToCampaign,
    tier: 'write',
    async apply(writer, { context, platform, type, id, before }) {
      const parent = await parentOf(writer, type, id)
      const membership = membershipId(id, before.CampaignID as string)
      const existing = await writer.get(Membership.name, membership)
      if (existing && (await isOwn(writer, type, 'added_to_campaign', id, ({ After }) => isAbout(After, before, 'CampaignID'))))
        return changeOn(type, parent, 'added_to_campaign', null, shown(Membership, existing))
      if (existing) throw changedSince('The lead is in the campaign again.')
      if (!(await writer.get(Campaign.name, before.CampaignID as string))) throw changedSince('The campaign is gone.')
      await checkRestored(context, writer, typeOn(platform, Membership), membership, detailsOf(before))
      const made = await writer.create(Membership.name, newRecord(Membership, { id: membership, at: before.CreatedDate as string }, before))
      return changeOn(type, parent, 'added_to_campaign', null, shown(Membership, made))
    },
  },
}

function undoAttach(name: 'Note' | 'Comment', eventName: EventName): Undo {
  return {
    tier: 'delete',
    async apply(writer, { type, id, after }) {
      const parent = await parentOf(writer, type, id)
      const attached = recordType(name)
      const isUndone = () => isOwn(writer, type, eventName, id, ({ Before }) => isAbout(Before, after, attached.id))
      if (!(await writer.delete(name, idOf(attached, after))) && !(await isUndone())) throw changedSince(`The ${name.toLowerCase()} is gone.`)
      return changeOn(type, parent, eventName, after, null)
    },
  }
}

function undoDetach(name: 'Note' | 'Comment', eventName: EventName): Undo {
  return {
    operation: operationOf('attach'),
    tier: 'write',
    restores: true,
    async apply(writer, { type, id, before }) {
      const parent = await parentOf(writer, type, id)
      const attached = recordType(name)
      const identity = { id: idOf(attached, before), at: before[attached.createdField] as string }
      const record = newRecord(attached, identity, { ...before, [parentField(attached)]: id })
      if (await writer.get(name, identity.id)) throw changedSince(`The ${name.toLowerCase()} is there again.`)
      await writer.create(name, record)
      return changeOn(type, parent, eventName, null, before)
    },
  }
}

async function parentOf(writer: Writer, type: RecordType, id: string): Promise<StoredRecord> {
  const parent = await writer.get(type.name, id)
  if (!parent) throw changedSince(`The ${type.name} is gone.`)
  return parent
}

/** Whether a campaign has members. It has no totals to tell, since its answer does not show them. */
async function hasMembers(writer: Writer, type: RecordType, id: string): Promise<boolean> {
  if (type.name !== 'Campaign') return false
  const { records } = await writer.find(Membership.name, {
    where: [{ field: 'CampaignID', family: 'text', operator: 'eq', value: id }],
    order: { field: Membership.id, descending: false },
    limit: 1,
  })
  return records.length > 0
}

function checkUnchanged(platform: Platform, record: StoredRecord, image: StoredRecord): void {
  if (!isSameRevision(platform, record.Revision, image.Revision))
    throw changedSince(`It has Revision ${record.Revision}, and the change left it with ${image.Revision}.`)
}
