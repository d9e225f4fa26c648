import { LIMITS } from '../../contract/limits.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound, seesRecord } from '../access/access.ts'
import { fieldsOf, findDefinitions, valuesOf } from '../call/definitions.ts'
import { typeOn } from '../call/extension.ts'
import { hasValues, idOf, newRecord, nextRevision, parentField, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { sourceOf } from '../watch/source.ts'
import { checkRevision, isOwn, visible } from './context.ts'
import { customChanges } from './custom-objects.ts'
import { withIncluded } from './include.ts'
import { checkReferences, emptied, hasReferences, refuseCircles, removeWithReferences } from './references.ts'
import { hasUnique, lockUnique, refuseTaken } from './unique-values.ts'

export function create(context: Context): Prepared {
  const { caller, operation, input } = context
  const type = operation.record
  const values = input as StoredRecord
  const isPlain = !hasReferences(type, values) && !hasUnique(type, values)
  return {
    on: type,
    async work(writer) {
      if (!isPlain) await checkNew(context, writer, type, values)
      const record = await writer.create(type.name, newRecord(type, writer.newId(), input, caller.userId))
      return { answer: record, change: changeTo(type, 'created', null, record) }
    },
  }
}

/** What the values of a new record have to fulfil beside their schema. */
export async function checkNew(context: Context, writer: Writer, type: RecordType, values: StoredRecord): Promise<void> {
  await lockUnique(writer, type, values)
  await checkReferences(context, writer, type, values)
  await refuseTaken(context, writer, type, values, undefined)
}

/** The record with its newest notes, comments and memberships. */
export async function get(context: Context): Promise<unknown> {
  const { caller, binding, operation, input } = context
  const type = operation.record
  const id = input[type.id] as string
  const source = await sourceOf(context)
  const reader = source.reader(type)
  const found = await reader.getWithTotals(type.name, id)
  if (!found || !seesRecord(caller, type, found.record)) throw notFound(type, id)
  const { record, totals } = found
  if (type.userDefined) {
    const definitions = await findDefinitions(reader, record.ObjectName as string)
    const [whole] = await withIncluded(context, source, type, [record])
    return {
      ...whole,
      [type.userDefined]: valuesOf(definitions, record[type.userDefined] as Record<string, unknown>),
      Fields: fieldsOf(definitions),
      ...source.dated,
    }
  }
  const [whole] = await withIncluded(context, source, type, [record])
  const answer = whole as Record<string, unknown>
  for (const { list, total, type: name } of type.children) {
    answer[list] = totals[list] === 0 ? [] : await newest(reader, typeOn(binding.platformFor(type), recordType(name)), type.name, id)
    answer[total] = totals[list]
  }
  return { ...answer, ...source.dated }
}

async function newest(reader: Reader, type: RecordType, on: string, id: string): Promise<StoredRecord[]> {
  const { records } = await reader.find(type.name, {
    where: [{ field: parentField(type), family: 'text', operator: 'eq', value: id }],
    order: { field: 'CreatedDate', descending: true },
    limit: LIMITS.children,
    on,
  })
  return records.map((record) => shown(type, record))
}

/** Sets the named fields. Where the record has these values already, nothing is written. */
export function update(context: Context): Prepared {
  const { binding, operation, input } = context
  const type = operation.record
  const changes = input.FieldsToUpdate as StoredRecord
  return {
    on: type,
    async work(writer) {
      await lockUnique(writer, type, changes)
      const record = await visible(writer, context, type)
      const id = idOf(type, record)
      await checkReferences(context, writer, type, changes, 'FieldsToUpdate.')
      await refuseCircles(writer, type, id, changes, 'FieldsToUpdate.')
      await refuseTaken(context, writer, type, changes, id, 'FieldsToUpdate.')
      // An earlier attempt of this call may have raised the revision.
      const own = writer.earlier && isUpdated(type, record, changes) && (await isOwn(writer, type, 'updated', id))
      if (!own) checkRevision(binding.platformFor(type), record, type, input.IfRevision)
      const custom = type.userDefined ? await customChanges(context, writer, record, changes) : undefined
      const values = custom?.changes ?? changes
      const answer = (after: StoredRecord, UpdatedFields: readonly string[]) => ({ ...shown(type, after), ...custom?.answer(after), UpdatedFields })
      if (!own && hasValues(record, values)) return { answer: answer(record, []) }
      const after = await writer.update(type.name, id, { ...values, ...nextRevision(record, writer.now()) }, input.IfRevision !== undefined)
      if (!after) throw notFound(type, id)
      return { answer: answer(after, Object.keys(changes)), change: changeTo(type, 'updated', record, after) }
    },
  }
}

/** Whether a record has the values of an update already, its user-defined ones by their own names. */
function isUpdated({ userDefined }: RecordType, record: StoredRecord, changes: StoredRecord): boolean {
  return hasValues({ ...record, ...(userDefined ? Object(record[userDefined]) : {}) }, changes)
}

export function remove(context: Context): Prepared {
  const { caller, binding, operation, input } = context
  const type = operation.record
  const id = input[type.id] as string
  return {
    on: type,
    async work(writer) {
      const record = await writer.get(type.name, id)
      if (record && !seesRecord(caller, type, record)) throw notFound(type, id)
      if (record) checkRevision(binding.platformFor(type), record, type, input.IfRevision)
      const { also, removed } = await removeWithReferences(
        context,
        writer,
        type,
        id,
        record,
        async () => record !== undefined && writer.delete(type.name, idOf(type, record)),
      )
      if (!removed && !(await isOwn(writer, type, 'deleted', id))) throw notFound(type, id)
      const before = record ?? { [type.id]: id, ...(type.belongs && { [type.belongs]: '' }) }
      const change = changeTo(type, 'deleted', before, null)
      return { answer: { [type.id]: before[type.id], Deleted: true, ...emptied(also) }, change: record ? change : { ...change, before: null }, also }
    },
  }
}
