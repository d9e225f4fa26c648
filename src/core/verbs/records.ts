import { LIMITS } from '../../contract/limits.ts'
import { recordType } from '../../contract/operations.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import { notFound, seesRecord } from '../access.ts'
import { fieldsOf, findDefinitions, valuesOf } from '../definitions.ts'
import { born, type Context, checkRevision, reading, revised, shown, visible, visibleUser, writing } from './context.ts'
import { customChanges } from './custom-objects.ts'

export async function create(context: Context): Promise<StoredRecord> {
  const { caller, operation, input } = context
  return writing(context, async (writer) => {
    const record = born(operation.record, writer.birth(), { ...input, OwnerID: caller.userId })
    await writer.create(operation.record.name, record)
    return record
  })
}

/** The record and what hangs on it, newest first. */
export async function get(context: Context): Promise<unknown> {
  const { caller, operation, input } = context
  const type = operation.record
  const id = input[type.id] as string
  const reader = reading(context)
  const found = await reader.getInFull(type.name, id)
  if (!found || !seesRecord(caller, type, found.record)) throw notFound(type, id)
  const { record, totals } = found
  if (type.userDefined) {
    const definitions = await findDefinitions(reader, record.ObjectName as string)
    return { ...record, [type.userDefined]: valuesOf(definitions, record[type.userDefined] as Record<string, unknown>), Fields: fieldsOf(definitions) }
  }
  const answer: Record<string, unknown> = record
  for (const { list, total, type: name } of type.hanging) {
    answer[list] = totals[list] === 0 ? [] : await newest(reader, name, id)
    answer[total] = totals[list]
  }
  return answer
}

async function newest(reader: Reader, name: string, id: string): Promise<StoredRecord[]> {
  const type = recordType(name)
  const { records } = await reader.find(name, {
    where: [{ field: type.hangsOn?.field as string, family: 'text', operator: 'eq', value: id }],
    order: { field: 'CreatedDate', descending: true },
    limit: LIMITS.hanging,
  })
  return records.map((record) => shown(type, record))
}

export async function update(context: Context): Promise<unknown> {
  const { caller, operation, input } = context
  const type = operation.record
  const changes = input.FieldsToUpdate as StoredRecord
  if (typeof changes.OwnerID === 'string') {
    // A record the caller may not see is not found, whomever it was to be given to.
    await visible(reading(context), caller, type, input[type.id] as string)
    await visibleUser(context, changes.OwnerID, 'FieldsToUpdate.OwnerID')
  }
  return writing(context, async (writer) => {
    const record = await visible(writer, caller, type, input[type.id] as string)
    checkRevision(record, type, input.IfRevision)
    const custom = type.userDefined ? await customChanges(context, writer, record, changes) : undefined
    const applied = { ...(custom?.changes ?? changes), ...revised(record, writer.now()) }
    await writer.update(type.name, record[type.id] as string, applied)
    return { ...shown(type, { ...record, ...applied }), ...custom?.answer, UpdatedFields: Object.keys(changes) }
  })
}

export async function remove(context: Context): Promise<unknown> {
  const { caller, operation, input } = context
  const type = operation.record
  return writing(context, async (writer) => {
    const record = await visible(writer, caller, type, input[type.id] as string)
    checkRevision(record, type, input.IfRevision)
    await writer.delete(type.name, record[type.id] as string)
    return { [type.id]: record[type.id], Deleted: true }
  })
}
