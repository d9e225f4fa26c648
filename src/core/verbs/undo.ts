import { CrmError } from '../../contract/errors.ts'
import type { Verb } from '../../contract/operation.ts'
import { ACCESS_TYPES, OPERATIONS, recordType, STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { Campaign, Membership, removeLeadsFromCampaign } from '../../contract/records/campaign.ts'
import { Change } from '../../contract/records/change.ts'
import { Definition } from '../../contract/records/custom-object.ts'
import { type EventName, eventTypeOf } from '../../contract/records/event.ts'
import { addLeadsToCampaign } from '../../contract/records/lead.ts'
import type { Condition, Platform, Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import { allowOperation, allowTier, mayRead, notFound, sees, seesRecord } from '../access/access.ts'
import { idOf, newRecord, nextRevision, parentField, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeOn, changeTo } from '../journal/changes.ts'
import { platformOf } from '../service.ts'
import { membershipId } from './attachments.ts'
import { isSameRevision, visible } from './context.ts'
import { refuseOnCrm } from './custom-fields.ts'
import { misfitOf } from './custom-objects.ts'
import { FIELD_UNDOS } from './undo-fields.ts'
import { changedSince, type Undo, type Undos } from './undo-kinds.ts'

const operationOf = (verb: Verb) => (type: RecordType) => OPERATIONS.find((one) => one.verb === verb && one.record.name === type.name)

/** How each kind of change is undone. */
const UNDOS: Undos = {
  created: {
    operation: operationOf('delete'),
    tier: 'delete',
    async apply(writer, { platform, type, id, after, restored }) {
      const found = await writer.getWithTotals(type.name, id)
      if (!found) throw changedSince(`The ${type.name} is gone.`)
      checkUnchanged(platform, found.record, after)
      // A restored record has its attachments back, so they are no later change.
      const attached = !restored && Object.values(found.totals).some((count) => count > 0)
      if (attached || (await hasMembers(writer, type, id))) throw changedSince('Something was attached to it.')
      await writer.delete(type.name, id)
      return changeTo(type, 'deleted', found.record, null)
    },
  },
  updated: {
    operation: operationOf('update'),
    tier: 'write',
    async apply(writer, { platform, type, id, before, after }) {
      const record = await writer.get(type.name, id)
      if (!record) throw changedSince(`The ${type.name} is gone.`)
      checkUnchanged(platform, record, after)
      const restored = Object.fromEntries(Object.entries(before).filter(([name]) => name !== type.id && name !== type.createdField))
      const applied = { ...restored, ...nextRevision(record, writer.now()) }
      const now = await writer.update(type.name, id, applied, true)
      if (!now) throw changedSince(`The ${type.name} is gone.`)
      return changeTo(type, 'updated', record, now)
    },
  },
  deleted: {
    tier: 'write',
    restores: true,
    async apply(writer, { type, id, before }) {
      if (await writer.get(type.name, id)) throw changedSince(`The ${type.name} is there again.`)
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
      // The lead may have been removed and added again.
      if ((await writer.get(Membership.name, membership))?.CreatedDate !== after.CreatedDate) throw changedSince('The lead is no longer in the campaign.')
      await writer.delete(Membership.name, membership)
      return changeOn(type, parent, 'removed_from_campaign', after, null)
    },
  },
  removed_from_campaign: {
    operation: () => addLeadsToCampaign,
    tier: 'write',
    async apply(writer, { type, id, before }) {
      const parent = await parentOf(writer, type, id)
      const membership = membershipId(id, before.CampaignID as string)
      if (await writer.get(Membership.name, membership)) throw changedSince('The lead is in the campaign again.')
      if (!(await writer.get(Campaign.name, before.CampaignID as string))) throw changedSince('The campaign is gone.')
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
      if (!(await writer.delete(name, idOf(recordType(name), after)))) throw changedSince(`The ${name.toLowerCase()} is gone.`)
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

/** Whether a change is the last one of its record, or of these events of it. Changes of the same transaction may have no number yet. */
async function isLast(reader: Reader, change: RecordOf<typeof Change>, events?: readonly string[]): Promise<boolean> {
  const where: Condition[] = [
    ...(events ? [{ field: 'EventType', family: 'text', operator: 'in', value: events } as const] : []),
    { field: 'RecordID', family: 'text', operator: 'eq', value: change.RecordID },
    { field: 'Outcome', family: 'text', operator: 'eq', value: 'ok' },
  ]
  const newest = { order: { field: 'Number', descending: true }, limit: 1, fields: ['Number'] }
  const { records } = await reader.find(Change.name, { where, ...newest })
  const unnumbered = await reader.find(Change.name, { where: [...where, { field: 'Number', family: 'number', operator: 'eq', value: null }], ...newest })
  return records[0]?.ChangeID === change.ChangeID && unnumbered.records.length === 0
}

function checkUnchanged(platform: Platform, record: StoredRecord, image: StoredRecord): void {
  if (!isSameRevision(platform, record.Revision, image.Revision))
    throw changedSince(`It has Revision ${record.Revision}, and the change left it with ${image.Revision}.`)
}

/** Undoes a change. The undo is itself a change, and can be undone in turn. */
export async function undoChange(context: Context): Promise<Prepared> {
  const { service, caller } = context
  const change = await visible(service.store.reader(caller.workspace.number), context, Change)
  const type = recordType(change.RecordType)
  const eventName = change.EventType?.split('.')[1] as EventName | undefined
  if (eventName === undefined) throw new CrmError('unsupported', 'A refused call changed nothing, so there is nothing to undo.')
  const undo = (type === Definition ? FIELD_UNDOS : UNDOS)[eventName]
  if (!undo || STORE_TYPES.includes(type.name)) throw notUndone(type, eventName)
  if (type === Definition) refuseOnCrm(context)
  const operation = undo.operation?.(type)
  if (operation) allowOperation(caller, operation)
  else allowTier(caller, undo.tier, type, 'Undoing this')
  const platform = platformOf(service, caller.workspace)
  if (undo.restores && !platform.supports.restores) throw new CrmError('unsupported', `${platform.name} cannot restore deleted records.`)
  if (change.Before === null && change.After === null) throw new CrmError('conflict', 'The images of this change have been erased, so it cannot be undone.')

  if (type.belongs === null && caller.role !== 'admin' && change.UserID !== caller.userId)
    throw new CrmError('forbidden', `A ${type.name} belongs to the whole workspace; only the user who made this change, or an admin, may undo it.`)
  // Whether it can be removed depends on its members: a refusal would tell of leads that the caller may not see, and removing it would take it from them.
  if (eventName === 'created' && type.name === Campaign.name && caller.sees !== undefined)
    throw new CrmError('forbidden', 'Leads of others may be in a campaign, so that only an admin may undo its creation.')
  const formerOwner = type.belongs && (change.Before as unknown as StoredRecord | null)?.[type.belongs]
  if (eventName === 'updated' && typeof formerOwner === 'string' && !sees(caller, formerOwner))
    throw new CrmError('forbidden', 'Undoing this would give the record to a user whom you may not see.', { hint: 'An admin, or a manager above both, can.' })

  return {
    on: type,
    async work(writer) {
      const [before, after] = [change.Before, change.After] as unknown as [StoredRecord, StoredRecord]
      const restored = eventName === 'created' && platform.supports.restores && (after.Revision as number) > 1
      const undoing = { platform, type, id: change.RecordID as string, before, after, restored }
      const journal = platform === service.store ? writer : service.store.reader(caller.workspace.number)
      // Locks the record, so that no other call changes it between the check and the undo. A deleted record cannot be locked itself.
      if (eventName === 'deleted' || !type.revised) await writer.lockWorkspace()
      const current = await writer.get(type.name, undoing.id)
      // On a CRM, a record can be given to another user without the journal knowing.
      if (current && !seesRecord(caller, type, current)) throw notFound(Change, change.ChangeID)
      if (eventName === 'deleted' && !(await isLast(journal, change))) throw changedSince('It was restored.')
      // Where no revision tells of later changes.
      if ((restored || !type.revised) && !(await isLast(journal, change))) throw changedSince('It has later changes.')
      // Where a revision is that of the values, which may have been changed and changed back.
      const changing = [eventTypeOf(type, 'created'), eventTypeOf(type, 'updated')]
      if (platform.isSameRevision && changing.includes(`${change.EventType}`) && !(await isLast(journal, change, changing)))
        throw changedSince('It has later changes.')
      const misfit = type.userDefined && before && platform === service.store ? await misfitOf(writer, before) : undefined
      if (misfit !== undefined) throw changedSince(`${misfit}, in which it had a value, was deleted or has another type.`)
      const done = await undo.apply(writer, undoing)
      const record = await writer.get(type.name, undoing.id)
      return {
        answer: {
          UndoneChangeID: change.ChangeID,
          RecordType: type.name,
          RecordID: undoing.id,
          Record: record && mayRead(caller, type) ? shown(type, record) : null,
        },
        change: done,
      }
    },
  }
}

function notUndone(type: RecordType, eventName: EventName): CrmError {
  if (eventName === 'erased') return new CrmError('unsupported', 'An erased record cannot be restored.')
  const hint = ACCESS_TYPES.includes(type.name) ? 'Use update_user or create_key instead.' : 'Make a new change instead.'
  return new CrmError('unsupported', `Changes of a ${type.name} cannot be undone.`, { hint })
}
