import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Verb } from '../../contract/operation.ts'
import { OPERATIONS, operationNamed, recordType, STORE_TYPES } from '../../contract/operations.ts'
import { type RecordType, referencesOf, words } from '../../contract/record.ts'
import { Campaign, Membership, removeLeadsFromCampaign } from '../../contract/records/campaign.ts'
import { Change } from '../../contract/records/change.ts'
import { Definition } from '../../contract/records/custom-object.ts'
import { type EventName, eventTypeOf } from '../../contract/records/event.ts'
import { Key } from '../../contract/records/key.ts'
import { addLeadsToCampaign } from '../../contract/records/lead.ts'
import { OwnField } from '../../contract/records/own-field.ts'
import { User } from '../../contract/records/user.ts'
import type { Condition, Platform, Reader, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { allowOperation, allowTier, mayRead, notFound, sees, seesRecord } from '../access/access.ts'
import { typeOn } from '../call/extension.ts'
import { findRecords, idOf, newRecord, nextRevision, parentField, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeOn, changeTo, differences, type RecordChange } from '../journal/changes.ts'
import { detailsOf, membershipId } from './attachments.ts'
import { isSameRevision, visible } from './context.ts'
import { refuseOnCrm } from './custom-fields.ts'
import { misfitOf } from './custom-objects.ts'
import { isReferredTo } from './references.ts'
import { FIELD_UNDOS } from './undo-fields.ts'
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

/** How each kind of change is undone. */
const UNDOS: Undos = {
  created: {
    operation: operationOf('delete'),
    tier: 'delete',
    async apply(writer, { context, platform, type, id, after, restored }) {
      const found = await writer.getWithTotals(type.name, id)
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
      // The lead may have been removed and added again.
      if ((await writer.get(Membership.name, membership))?.CreatedDate !== after.CreatedDate) throw changedSince('The lead is no longer in the campaign.')
      await writer.delete(Membership.name, membership)
      return changeOn(type, parent, 'removed_from_campaign', after, null)
    },
  },
  campaign_status_changed: {
    operation: () => addLeadsToCampaign,
    tier: 'write',
    async apply(writer, { context, platform, type, id, before, after }) {
      const parent = await parentOf(writer, type, id)
      const membership = await writer.get(Membership.name, membershipId(id, after.CampaignID as string))
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
      if (await writer.get(Membership.name, membership)) throw changedSince('The lead is in the campaign again.')
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

/** Undoes a change, or all changes of its group, newest first. The undo is itself a change or a group, and can be undone in turn. */
export async function undoChange(context: Context): Promise<Prepared> {
  const { service, caller } = context
  const named = await namedChange(context)
  const group = named.GroupID === null ? [named] : await linesOf(service.store.reader(caller.workspace.number), named.GroupID)
  const steps = group.map((change) => (isEmptying(change) ? restoring(context, change) : stepOf(context, change)))
  const [main] = steps as [Step, ...Step[]]
  return {
    on: main.type,
    async work(writer) {
      // A deleted record cannot be locked itself.
      if (steps.some(({ locksWorkspace }) => locksWorkspace)) await writer.lockWorkspace()
      const changes = new Map<Step, readonly RecordChange[]>()
      for (const step of steps.toSorted(byDependency)) changes.set(step, await step.apply(writer))
      const done = steps.flatMap((step) => changes.get(step) ?? [])
      const record = await writer.get(main.type.name, main.id)
      const [change, ...also] = done
      return {
        answer: {
          UndoneChangeID: main.change.ChangeID,
          RecordType: main.type.name,
          RecordID: main.id,
          Record: record && mayRead(caller, main.type) ? shown(main.type, record) : null,
        },
        ...(change && { change, also }),
      }
    },
  }
}

type StoredChange = RecordOf<typeof Change>

/** The change that the input names, by its own id or by that of its group. */
async function namedChange(context: Context): Promise<StoredChange> {
  const { service, caller, input } = context
  const reader = service.store.reader(caller.workspace.number)
  const id = input.ChangeID as string
  if (await reader.get(Change.name, id)) return visible(reader, context, Change)
  const seen = (await linesOf(reader, id)).find((change) => seesRecord(caller, Change, change))
  if (!seen) throw notFound(Change, id)
  return seen
}

/** The lines of a group, newest first. */
function linesOf(reader: Reader, groupId: string): Promise<readonly StoredChange[]> {
  const where: Condition[] = [{ field: 'GroupID', family: 'text', operator: 'eq', value: groupId }]
  return findRecords(reader, Change, { where, order: { field: Change.id, descending: true }, limit: LIMITS.references + LIMITS.children })
}

/** One change that is undone. */
interface Step {
  readonly change: StoredChange
  readonly type: RecordType
  readonly id: string
  readonly locksWorkspace: boolean
  /** Resolves to what it changed: nothing where there is nothing to restore any more. */
  apply(writer: Writer): Promise<readonly RecordChange[]>
}

/** What was deleted is restored before the references to it, and what was created is deleted after those to it are gone. */
const byDependency = (a: Step, b: Step) => turnOf(a) - turnOf(b)
const turnOf = ({ change: { EventType } }: Step) => (EventType?.endsWith('.deleted') ? -1 : EventType?.endsWith('.created') ? 1 : 0)

/** Whether a change emptied references because the record they pointed to was deleted. */
const isEmptying = ({ EventType, Operation }: StoredChange) => EventType?.endsWith('.updated') === true && operationNamed(Operation)?.effect === 'delete'

/** The type of the changed record, as the platform has it. */
const typeOf = ({ binding }: Context, { RecordType }: StoredChange) => typeOn(binding.platform, recordType(RecordType))

/** Restores references that were emptied. Those that have another value by now keep it, and other changes of the record since make no difference. */
function restoring(context: Context, change: StoredChange): Step {
  const type = typeOf(context, change)
  const id = change.RecordID as string
  const [before, after] = [change.Before, change.After] as unknown as [StoredRecord | null, StoredRecord | null]
  return {
    change,
    type,
    id,
    locksWorkspace: false,
    async apply(writer) {
      const record = await writer.get(type.name, id)
      const references = record && before && after && (type.userDefined ? emptiedValues(before, after, record) : emptiedFields(type, before, after, record))
      if (!references) return []
      if (type.userDefined && (await misfitOf(writer, { ...record, ...references })) !== undefined) return []
      const now = await writer.update(type.name, id, { ...references, ...nextRevision(record, writer.now()) })
      return now ? [changeTo(type, 'updated', record, now)] : []
    },
  }
}

/** The references that a change has emptied, and that are empty still, as they were; undefined where there are none. */
function emptiedFields(type: RecordType, before: StoredRecord, after: StoredRecord, now: StoredRecord): StoredRecord | undefined {
  const fields = referencesOf(type).filter(({ field }) => before[field] && !after[field] && now[field] === null)
  return fields.length > 0 ? Object.fromEntries(fields.map(({ field }) => [field, before[field] as string])) : undefined
}

/** The same for a record of a custom object, whose values have no member where there is none. */
function emptiedValues(before: StoredRecord, after: StoredRecord, now: StoredRecord): StoredRecord | undefined {
  const [was, is, present] = [before.Values, after.Values, now.Values].map((values) => Object(values) as { readonly [name: string]: Value })
  const gone = Object.entries(was ?? {}).filter(([name]) => !Object.hasOwn(is ?? {}, name) && !Object.hasOwn(present ?? {}, name))
  return gone.length > 0 ? { Values: { ...present, ...Object.fromEntries(gone) } } : undefined
}

/** How a change is undone; refused where the caller or the platform may not. */
function stepOf(context: Context, change: StoredChange): Step {
  const { service, caller, binding } = context
  const type = typeOf(context, change)
  const eventName = change.EventType?.split('.')[1] as EventName | undefined
  if (eventName === undefined) throw new CrmError('unsupported', 'A refused call changed nothing, so there is nothing to undo.')
  const undo = (type === Definition ? FIELD_UNDOS : UNDOS)[eventName]
  if (!undo || STORE_TYPES.includes(type.name)) throw notUndone(type, eventName)
  if (type === Definition) refuseOnCrm(context)
  const operation = undo.operation?.(type)
  if (operation) allowOperation(caller, operation)
  else allowTier(caller, undo.tier, type, 'Undoing this')
  const { platform } = binding
  if (operationNamed(change.Operation)?.verb === 'convert' && !binding.isStore)
    throw new CrmError('unsupported', `${platform.name} cannot take the conversion of a lead back.`)
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

  const id = change.RecordID as string
  return {
    change,
    type,
    id,
    locksWorkspace: eventName === 'deleted' || !type.revised,
    async apply(writer) {
      const [before, after] = [change.Before, change.After] as unknown as [StoredRecord, StoredRecord]
      const restored = eventName === 'created' && platform.supports.restores && (after.Revision as number) > 1
      const undoing = { context, platform, type, id, before, after, restored }
      const journal = binding.isStore ? writer : service.store.reader(caller.workspace.number)
      // Locks the record, so that no other call changes it between the check and the undo.
      const current = await writer.get(type.name, id)
      // On a CRM, a record can be given to another user without the journal knowing.
      if (current && !seesRecord(caller, type, current)) throw notFound(Change, change.ChangeID)
      if (eventName === 'deleted' && !(await isLast(journal, change))) throw changedSince('It was restored.')
      // Where no revision tells of later changes.
      if ((restored || !type.revised) && !(await isLast(journal, change))) throw changedSince('It has later changes.')
      // Where a revision is that of the values, which may have been changed and changed back.
      const changing = [eventTypeOf(type, 'created'), eventTypeOf(type, 'updated')]
      if (platform.isSameRevision && changing.includes(`${change.EventType}`) && !(await isLast(journal, change, changing)))
        throw changedSince('It has later changes.')
      const misfit = type.userDefined && before && binding.isStore ? await misfitOf(writer, before) : undefined
      if (misfit !== undefined) throw changedSince(`${misfit}, in which it had a value, was deleted or has another type.`)
      return [await undo.apply(writer, undoing)]
    },
  }
}

const INSTEAD: { readonly [type: string]: string } = {
  [User.name]: 'Use update_user instead.',
  [Key.name]: 'Use create_key instead.',
  [OwnField.name]: 'Use retire_field, define_field or update_field instead.',
}

function notUndone(type: RecordType, eventName: EventName): CrmError {
  if (eventName === 'erased') return new CrmError('unsupported', 'An erased record cannot be restored.')
  const hint = INSTEAD[type.name] ?? 'Make a new change instead.'
  return new CrmError('unsupported', `Changes of ${words(type.plural).toLowerCase()} cannot be undone.`, { hint })
}
