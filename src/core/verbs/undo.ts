import { CrmError } from '../../contract/errors.ts'
import type { Operation, Tier, Verb } from '../../contract/operation.ts'
import { ACCESS_TYPES, OPERATIONS, recordType, STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { Campaign, Membership, removeLeadsFromCampaign } from '../../contract/records/campaign.ts'
import { Change } from '../../contract/records/change.ts'
import type { Happening } from '../../contract/records/event.ts'
import { addLeadsToCampaign } from '../../contract/records/lead.ts'
import type { Condition, Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import { allowOperation, allowTier, sees } from '../access/access.ts'
import { newRecord, nextRevision, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { happened, happenedOn, type RecordChange } from '../journal/changes.ts'
import { platformOf } from '../service.ts'
import { membershipId } from './attachments.ts'
import { visible } from './context.ts'

/** A change and the record it was made to. */
interface Undoing {
  readonly type: RecordType
  readonly id: string
  readonly before: StoredRecord
  readonly after: StoredRecord
  /** Whether a record that came to be had been there before. */
  readonly restored: boolean
}

interface Way {
  /** The operation that does the same, which a key must allow. */
  readonly by?: (type: RecordType) => Operation | undefined
  /** What a key must allow for the record type where no operation does the same. */
  readonly tier: Tier
  /** Whether something comes back that was gone, under its id. */
  readonly restores?: boolean
  /** Takes the change back and says what that has done. */
  back(writer: Writer, undoing: Undoing): Promise<RecordChange>
}

const operationOf = (verb: Verb) => (type: RecordType) => OPERATIONS.find((one) => one.verb === verb && one.record.name === type.name)

/** How each thing that can happen is taken back. */
const WAYS: { readonly [H in Happening]?: Way } = {
  created: {
    by: operationOf('delete'),
    tier: 'delete',
    async back(writer, { type, id, after, restored }) {
      const found = await writer.getWithTotals(type.name, id)
      if (!found) throw changedSince(`The ${type.name} is gone.`)
      sameRevision(found.record, after)
      // What came back with a record was attached to it before.
      const attached = !restored && Object.values(found.totals).some((count) => count > 0)
      if (attached || (await hasMembers(writer, type, id))) throw changedSince('Something was attached to it.')
      await writer.delete(type.name, id)
      return happened(type, 'deleted', found.record, null)
    },
  },
  updated: {
    by: operationOf('update'),
    tier: 'write',
    async back(writer, { type, id, before, after }) {
      const record = await writer.get(type.name, id)
      if (!record) throw changedSince(`The ${type.name} is gone.`)
      sameRevision(record, after)
      const restored = Object.fromEntries(Object.entries(before).filter(([name]) => name !== type.id && name !== type.createdField))
      const applied = { ...restored, ...nextRevision(record, writer.now()) }
      const now = await writer.update(type.name, id, applied)
      if (!now) throw changedSince(`The ${type.name} is gone.`)
      return happened(type, 'updated', record, now)
    },
  },
  deleted: {
    tier: 'write',
    restores: true,
    async back(writer, { type, id, before }) {
      if (await writer.get(type.name, id)) throw changedSince(`The ${type.name} is there again.`)
      const record = { ...before, ...nextRevision(before, writer.now()) }
      await writer.restore(type.name, record)
      return happened(type, 'created', null, record)
    },
  },
  note_added: hangingBack('Note', 'note_removed'),
  note_removed: hangingAgain('Note', 'note_added'),
  comment_added: hangingBack('Comment', 'comment_removed'),
  comment_removed: hangingAgain('Comment', 'comment_added'),
  added_to_campaign: {
    by: () => removeLeadsFromCampaign,
    tier: 'delete',
    async back(writer, { type, id, after }) {
      const parent = await parentOf(writer, type, id)
      const membership = membershipId(id, after.CampaignID as string)
      // It may have been left and joined anew.
      if ((await writer.get(Membership.name, membership))?.CreatedDate !== after.CreatedDate) throw changedSince('The lead is no longer in the campaign.')
      await writer.delete(Membership.name, membership)
      return happenedOn(type, parent, 'removed_from_campaign', after, null)
    },
  },
  removed_from_campaign: {
    by: () => addLeadsToCampaign,
    tier: 'write',
    async back(writer, { type, id, before }) {
      const parent = await parentOf(writer, type, id)
      const membership = membershipId(id, before.CampaignID as string)
      if (await writer.get(Membership.name, membership)) throw changedSince('The lead is in the campaign again.')
      if (!(await writer.get(Campaign.name, before.CampaignID as string))) throw changedSince('The campaign is gone.')
      const made = await writer.create(Membership.name, newRecord(Membership, { id: membership, at: before.CreatedDate as string }, before))
      return happenedOn(type, parent, 'added_to_campaign', null, shown(Membership, made))
    },
  },
}

function hangingBack(name: 'Note' | 'Comment', happening: Happening): Way {
  return {
    tier: 'delete',
    async back(writer, { type, id, after }) {
      const parent = await parentOf(writer, type, id)
      const hanging = recordType(name)
      if (!(await writer.delete(name, after[hanging.id] as string))) throw changedSince(`The ${name.toLowerCase()} is gone.`)
      return happenedOn(type, parent, happening, after, null)
    },
  }
}

function hangingAgain(name: 'Note' | 'Comment', happening: Happening): Way {
  return {
    by: operationOf('attach'),
    tier: 'write',
    restores: true,
    async back(writer, { type, id, before }) {
      const parent = await parentOf(writer, type, id)
      const hanging = recordType(name)
      const record = newRecord(
        hanging,
        { id: before[hanging.id] as string, at: before[hanging.createdField] as string },
        { ...before, [hanging.hangsOn?.field as string]: id },
      )
      if (await writer.get(name, record[hanging.id] as string)) throw changedSince(`The ${name.toLowerCase()} is there again.`)
      await writer.create(name, record)
      return happenedOn(type, parent, happening, null, before)
    },
  }
}

async function parentOf(writer: Writer, type: RecordType, id: string): Promise<StoredRecord> {
  const parent = await writer.get(type.name, id)
  if (!parent) throw changedSince(`The ${type.name} is gone.`)
  return parent
}

/** A campaign does not show its members, but leads hang on it all the same. */
async function hasMembers(writer: Writer, type: RecordType, id: string): Promise<boolean> {
  if (type.name !== 'Campaign') return false
  const { records } = await writer.find(Membership.name, {
    where: [{ field: 'CampaignID', family: 'text', operator: 'eq', value: id }],
    order: { field: Membership.id, descending: false },
    limit: 1,
  })
  return records.length > 0
}

/** Whether nothing has happened to a record since a change of it. What is part of the same transaction may have no number yet. */
async function isLast(reader: Reader, change: StoredRecord): Promise<boolean> {
  const where: Condition[] = [
    { field: 'RecordID', family: 'text', operator: 'eq', value: change.RecordID as string },
    { field: 'Outcome', family: 'text', operator: 'eq', value: 'ok' },
  ]
  const newest = { order: { field: 'Number', descending: true }, limit: 1, fields: ['Number'] }
  const { records } = await reader.find(Change.name, { where, ...newest })
  const unnumbered = await reader.find(Change.name, { where: [...where, { field: 'Number', family: 'number', operator: 'eq', value: null }], ...newest })
  return records[0]?.ChangeID === change.ChangeID && unnumbered.records.length === 0
}

function sameRevision(record: StoredRecord, image: StoredRecord): void {
  if (record.Revision !== image.Revision) throw changedSince(`It has Revision ${record.Revision}, and the change left it with ${image.Revision}.`)
}

function changedSince(how: string): CrmError {
  return new CrmError('conflict', `The record has changed since: ${how}`, { hint: 'Undo the later changes first, newest first, or make a new change.' })
}

/** Takes a change back. The undoing is a change of its own, and can be undone in turn. */
export async function undoChange(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  const changeId = input.ChangeID as string
  const change = await visible(service.store.reader(caller.workspace.number), caller, Change, changeId)
  const type = recordType(change.RecordType as string)
  const happening = (change.EventType as string | null)?.split('.')[1] as Happening | undefined
  if (happening === undefined) throw new CrmError('unsupported', 'A refused call changed nothing, so there is nothing to undo.')
  const way = WAYS[happening]
  if (!way || STORE_TYPES.includes(type.name)) throw notUndone(type, happening)
  const by = way.by?.(type)
  if (by) allowOperation(caller, by)
  else allowTier(caller, way.tier, type, 'Undoing this')
  const platform = platformOf(service, caller.workspace)
  if (way.restores && !platform.supports.restores) throw new CrmError('unsupported', `${platform.name} cannot bring back what was deleted.`)
  if (change.Before === null && change.After === null)
    throw new CrmError('conflict', 'The images of this change have been erased, so that nobody can restore them.')

  if (type.belongs === null && caller.role !== 'admin' && change.UserID !== caller.userId)
    throw new CrmError('forbidden', `A ${type.name} belongs to the whole workspace; only who made this change, or an admin, may undo it.`)
  const formerOwner = type.belongs && (change.Before as unknown as StoredRecord | null)?.[type.belongs]
  if (happening === 'updated' && typeof formerOwner === 'string' && !sees(caller, formerOwner))
    throw new CrmError('forbidden', 'Undoing this would give the record to a user whom you may not see.', { hint: 'An admin, or a manager above both, can.' })

  return {
    on: type,
    async work(writer) {
      const [before, after] = [change.Before, change.After] as unknown as [StoredRecord, StoredRecord]
      const restored = happening === 'created' && platform.supports.restores && (after.Revision as number) > 1
      const undoing = { type, id: change.RecordID as string, before, after, restored }
      const journal = platform === service.store ? writer : service.store.reader(caller.workspace.number)
      // Whatever is at it right now has ended before we look at what has happened to it. What is gone cannot be held itself.
      if (happening === 'deleted') await writer.lockWorkspace()
      await writer.get(type.name, undoing.id)
      if (happening === 'deleted' && !(await isLast(journal, change))) throw changedSince('It was brought back.')
      if (restored && !(await isLast(journal, change))) throw changedSince('Something has happened to it.')
      const done = await way.back(writer, undoing)
      const record = await writer.get(type.name, undoing.id)
      return {
        answer: { UndoneChangeID: changeId, RecordType: type.name, RecordID: undoing.id, Record: record ? shown(type, record) : null },
        change: done,
      }
    },
  }
}

function notUndone(type: RecordType, happening: Happening): CrmError {
  if (happening === 'erased') return new CrmError('unsupported', 'What was erased is gone for good.')
  const hint = ACCESS_TYPES.includes(type.name) ? 'update_user and create_key make what is wanted instead.' : 'Make a new change instead.'
  return new CrmError('unsupported', `Changes of a ${type.name} cannot be undone.`, { hint })
}
