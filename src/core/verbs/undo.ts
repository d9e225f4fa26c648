import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operationNamed, recordType, STORE_TYPES } from '../../contract/operations.ts'
import { type RecordType, referencesOf, words } from '../../contract/record.ts'
import { Campaign } from '../../contract/records/campaign.ts'
import { Change } from '../../contract/records/change.ts'
import { Definition } from '../../contract/records/custom-object.ts'
import { type EventName, eventTypeOf } from '../../contract/records/event.ts'
import { Key } from '../../contract/records/key.ts'
import { OwnField } from '../../contract/records/own-field.ts'
import { allowPlan } from '../../contract/records/plan.ts'
import { User } from '../../contract/records/user.ts'
import type { Condition, Reader, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { allowOperation, allowTier, mayRead, notFound, sees, seesRecord } from '../access/access.ts'
import { definitionsOf } from '../call/definitions.ts'
import { typeOn } from '../call/extension.ts'
import { findRecords, nextRevision, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo, differences, type RecordChange } from '../journal/changes.ts'
import { isSameRevision, visible } from './context.ts'
import { refuseOnCrm } from './custom-fields.ts'
import { misfitOf } from './custom-objects.ts'
import { FIELD_UNDOS } from './undo-fields.ts'
import { changedSince, type Undo } from './undo-kinds.ts'
import { RECORD_UNDOS } from './undo-records.ts'

/** Whether a change is the last one of its record, or of these events of it, apart from these batches. Changes of the same transaction may have no number yet. */
async function isLast(reader: Reader, change: StoredChange, batches: readonly string[], events?: readonly string[]): Promise<boolean> {
  const where: Condition[] = [
    ...(events ? [{ field: 'EventType', family: 'text', operator: 'in', value: events } as const] : []),
    { field: 'RecordID', family: 'text', operator: 'eq', value: change.RecordID },
    { field: 'Outcome', family: 'text', operator: 'eq', value: 'ok' },
    ...batches.map((value) => ({ field: 'BatchID', family: 'text', operator: 'ne', value }) as const),
  ]
  const newest = async (line: Condition, among: readonly Condition[] = where) =>
    (await reader.find(Change.name, { where: [...among, line], order: { field: 'Number', descending: true }, limit: 1, fields: ['Number'] })).records[0]
  // It may have been numbered since it was read.
  const number = (await newest({ field: Change.id, family: 'text', operator: 'eq', value: change.ChangeID }, []))?.Number
  if (typeof number !== 'number') return false
  return (
    (await newest({ field: 'Number', family: 'number', operator: 'gt', value: number })) === undefined &&
    (await newest({ field: 'Number', family: 'number', operator: 'eq', value: null })) === undefined
  )
}

/** Undoes a change, or all changes of its group, newest first. The undo is itself a change or a group, and can be undone in turn. */
export async function undoOne(context: Context): Promise<Prepared> {
  const { service, caller } = context
  const named = await namedChange(context)
  const group = named.GroupID === null ? [named] : await linesOf(service.store.reader(caller.workspace.number), named.GroupID)
  const steps = group.map((change) => stepOf(context, change))
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

export type StoredChange = RecordOf<typeof Change>

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
export interface Step {
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

/** Whether a change emptied references because the record they pointed to was deleted. A plan that was allowed may have updated records too. */
function isEmptying(context: Context, change: StoredChange): boolean {
  const { EventType, Operation } = change
  if (EventType?.endsWith('.updated') !== true || operationNamed(Operation)?.effect !== 'delete') return false
  return Operation !== allowPlan.id || onlyEmpties(typeOf(context, change), change)
}

function onlyEmpties(type: RecordType, { Before, After }: StoredChange): boolean {
  const [before, after] = [Before, After] as unknown as [StoredRecord, StoredRecord]
  if (!before || !after) return true
  const references = referencesOf(type).map(({ field }) => field)
  return Object.entries(differences(type, before, after)).every(([name, { To }]) => To === null && (type.userDefined || references.includes(name)))
}

/** The type of the changed record, as the platform has it. */
export const typeOf = ({ binding }: Context, { RecordType }: StoredChange) => typeOn(binding.platform, recordType(RecordType))

/**
 * Restores references that were emptied. Those that have another value by now keep it, those to a record that is gone stay empty, and other changes of the record since make no
 * difference.
 */
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
      const references = record && before && after && (await emptiedReferences(writer, type, before, after, record))
      if (!references) return []
      if (type.userDefined && (await misfitOf(writer, { ...record, ...references })) !== undefined) return []
      const now = await writer.update(type.name, id, { ...references, ...nextRevision(record, writer.now()) })
      return now ? [changeTo(type, 'updated', record, now)] : []
    },
  }
}

/** The references that a change has emptied, and that are empty still, as they were; undefined where there are none. */
async function emptiedReferences(
  writer: Writer,
  type: RecordType,
  before: StoredRecord,
  after: StoredRecord,
  now: StoredRecord,
): Promise<StoredRecord | undefined> {
  // A record of a custom object has its values in a member, which has none for a field without a value.
  const [was, is, present] = [before, after, now].map((image) => (type.userDefined ? Object(image.Values) : image) as { readonly [name: string]: Value })
  const refers = type.userDefined
    ? [...(await definitionsOf(writer, now.ObjectName as string)).values()].map(({ FieldName, RefersTo }) => [FieldName, RefersTo] as const)
    : referencesOf(type).map(({ field, refers }) => [field, refers] as const)
  const references: { [name: string]: Value } = {}
  for (const [name, to] of refers) {
    const id = was?.[name]
    if (!to || typeof id !== 'string' || (is?.[name] ?? present?.[name] ?? null) !== null) continue
    if (STORE_TYPES.includes(to) || (await writer.getForReference(to, id))) references[name] = id
  }
  if (Object.keys(references).length === 0) return undefined
  return type.userDefined ? { Values: { ...present, ...references } } : references
}

function undoOf(type: RecordType, eventName: EventName): Undo | undefined {
  return STORE_TYPES.includes(type.name) ? undefined : (type === Definition ? FIELD_UNDOS : RECORD_UNDOS)[eventName]
}

/** Whether a change of this kind can be undone on the platform. */
export function isUndoable({ platform }: Context['binding'], type: RecordType, eventName: EventName): boolean {
  const undo = undoOf(type, eventName)
  return undo !== undefined && (!undo.restores || platform.supports.restores)
}

/** What an undo of a batch has done so far. */
export interface Progress {
  /** The batch that is undone, and the one that the undo is: their changes are no later ones. */
  readonly batches: readonly string[]
  /** The Revision that a record has since a change of it was undone, and the one that it had before that change. */
  readonly revisions: Map<string, { readonly was: unknown; readonly is: unknown }>
}

/** How a change is undone; refused where the caller or the platform may not. */
export function stepOf(context: Context, change: StoredChange, progress?: Progress): Step {
  const step = isEmptying(context, change) ? restoring(context, change) : opposing(context, change, progress)
  return {
    ...step,
    async apply(writer) {
      const done = await step.apply(writer)
      const [was, is] = [(change.Before as StoredRecord | null)?.Revision, done[0]?.after?.Revision]
      if (was !== undefined && is !== undefined) progress?.revisions.set(step.id, { was, is })
      return done.map((one) => ({ ...one, undoes: change.ChangeID }))
    },
  }
}

function opposing(context: Context, change: StoredChange, { batches, revisions }: Progress = { batches: [], revisions: new Map() }): Step {
  const { service, caller, binding } = context
  const type = typeOf(context, change)
  const eventName = change.EventType?.split('.')[1] as EventName | undefined
  if (eventName === undefined) throw new CrmError('unsupported', 'A refused call changed nothing, so there is nothing to undo.')
  const undo = undoOf(type, eventName)
  if (!undo) throw notUndone(type, eventName)
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
      const [before, image] = [change.Before, change.After] as unknown as [StoredRecord, StoredRecord]
      const restored = eventName === 'created' && platform.supports.restores && (image.Revision as number) > 1
      const own = revisions.get(id)
      const after = own && image && isSameRevision(platform, own.was, image.Revision) ? { ...image, Revision: own.is as number } : image
      const undoing = { context, platform, type, id, before, after, restored }
      const journal = binding.isStore ? writer : service.store.reader(caller.workspace.number)
      // Locks the record, so that no other call changes it between the check and the undo.
      const current = await writer.get(type.name, id)
      // On a CRM, a record can be given to another user without the journal knowing.
      if (current && !seesRecord(caller, type, current)) throw notFound(Change, change.ChangeID)
      if (eventName === 'deleted' && !(await isLast(journal, change, batches))) throw changedSince('It was restored.')
      // Where no revision tells of later changes.
      if ((restored || !type.revised) && !(await isLast(journal, change, batches))) throw changedSince('It has later changes.')
      // Where a revision is that of the values, which may have been changed and changed back.
      const changing = [eventTypeOf(type, 'created'), eventTypeOf(type, 'updated')]
      if (platform.isSameRevision && changing.includes(`${change.EventType}`) && !(await isLast(journal, change, batches, changing)))
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
