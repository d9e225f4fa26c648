import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { OPERATIONS, RECORD_TYPES, recordType, STORE_TYPES } from '../../contract/operations.ts'
import { type RecordType, referencesOf } from '../../contract/record.ts'
import { CustomObject, Definition as DefinitionType } from '../../contract/records/custom-object.ts'
import { User } from '../../contract/records/user.ts'
import type { Condition, Reader, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { notFound, seesRecord } from '../access/access.ts'
import { typeOn } from '../call/extension.ts'
import type { Definition } from '../call/filters.ts'
import { findRecords, idOf, nextRevision } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import { visibleUser } from './context.ts'
import { InterruptedDelete } from './interrupted-deletes.ts'

/** The references among these values. */
const given = (type: RecordType, values: StoredRecord) => referencesOf(type).filter(({ field }) => typeof values[field] === 'string')

export const hasReferences = (type: RecordType, values: StoredRecord) => referencesOf(type).some(({ field }) => typeof values[field] === 'string')

/** Refuses references to what does not exist for the caller. What they point to is locked, so that it is not deleted meanwhile. `at` is where the values are in the input. */
export async function checkReferences(context: Context, writer: Writer, type: RecordType, values: StoredRecord, at = ''): Promise<void> {
  for (const { field, refers } of given(type, values))
    await checkReference(context, writer, { on: type, refers, id: values[field] as string, at: `${at}${field}` })
}

/** The same for values of a custom object. What a CRM has a reference point to that is none of our record types is left to the CRM. */
export async function checkCustomReferences(
  context: Context,
  writer: Writer,
  definitions: readonly Definition[],
  values: { readonly [name: string]: unknown },
  at: (name: string) => string,
): Promise<void> {
  for (const { FieldName, RefersTo } of definitions) {
    const id = RefersTo && Object.hasOwn(values, FieldName) ? values[FieldName] : undefined
    if (RefersTo && typeof id === 'string') await checkReference(context, writer, { on: CustomObject, refers: RefersTo, id, at: at(FieldName) })
  }
}

interface Reference {
  readonly on: RecordType
  readonly refers: string
  readonly id: string
  /** Where it is in the input. */
  readonly at: string
}

async function checkReference(context: Context, writer: Writer, { on, refers, id, at }: Reference): Promise<void> {
  if (refers === User.name) return checkUser(context, writer, on, id, at)
  const found = await writer.getForReference(refers, id)
  if (!found || !seesRecord(context.caller, recordType(refers), found)) throw notFound(recordType(refers), id, at)
}

/** An owner has to be a user of the platform too, where that has users of its own. */
async function checkUser(context: Context, writer: Writer, type: RecordType, id: string, at: string): Promise<void> {
  const user = await visibleUser(context, id, at, { on: type, writer })
  const { platform } = context.binding
  if (platform.supports.ownUsers || user.PlatformUserID !== null) return
  const message = `This user has no PlatformUserID, and so cannot own records on ${platform.name}.`
  throw new CrmError('invalid_input', message, {
    errors: [{ field: at, code: 'value', message }],
    hint: 'Set PlatformUserID with update_user to the id of their user there.',
  })
}

/** The most levels of records that refer to their own type. */
const LEVELS = 100

/** Refuses a reference of a record to itself, or to one that is below it. */
export async function refuseCircles(reader: Pick<Reader, 'get'>, type: RecordType, id: string, values: StoredRecord, at: string): Promise<void> {
  for (const { field, refers } of given(type, values)) {
    // A field of one's own may be mutual, as between spouses.
    if (refers !== type.name || type.fields[field]?.own) continue
    let above: unknown = values[field]
    for (let level = 0; typeof above === 'string' && level < LEVELS; level++) {
      if (above === id) {
        const message = `${field} would make the ${type.name} its own parent.`
        throw new CrmError('conflict', message, { errors: [{ field: `${at}${field}`, code: 'conflict', message }] })
      }
      above = (await reader.get(type.name, above))?.[field]
    }
  }
}

/** A field that refers to records of a type. */
interface Referrer {
  readonly type: RecordType
  readonly field: string
  /** What finds the records that refer to one. */
  where(id: string): Condition[]
  /** The changes that empty the field; undefined where a record does not refer to this one. */
  without(record: StoredRecord, id: string): StoredRecord | undefined
}

/** The fields that refer to records of a type. */
async function referrersOf(context: Context, reader: Pick<Reader, 'find'>, type: RecordType): Promise<readonly Referrer[]> {
  // A CRM empties the references of its custom objects itself.
  return [...standardReferrers(context, type), ...(context.binding.isStoreFor(CustomObject) ? await customReferrers(reader, type) : [])]
}

/** The references of custom objects to records of a type. */
async function customReferrers(reader: Pick<Reader, 'find'>, type: RecordType): Promise<Referrer[]> {
  const where = [refersTo('RefersTo', type.name)]
  const definitions = await findRecords(reader, DefinitionType, {
    where,
    order: { field: DefinitionType.id, descending: false },
    limit: LIMITS.allCustomFields,
  })
  return definitions.map(({ ObjectName, FieldName }) => ({
    type: CustomObject,
    field: FieldName,
    where: (id) => [refersTo('ObjectName', ObjectName), { ...refersTo('Values', id), name: FieldName }],
    without({ Values: values }, id) {
      const { [FieldName]: value, ...others } = values as { readonly [name: string]: Value }
      return value === id ? { Values: others } : undefined
    },
  }))
}

function standardReferrers(context: Context, type: RecordType): readonly Referrer[] {
  const { platform } = context.binding
  return RECORD_TYPES.filter(({ name, revised, childOf }) => revised && !childOf && !STORE_TYPES.includes(name)).flatMap((base) => {
    const referring = typeOn(platform, base)
    const limits = platform.supports.fields[base.name] ?? {}
    const isWritten = (field: string) => referring.fields[field]?.absent === undefined && !limits[field]?.readOnly
    return referencesOf(referring).flatMap(({ field, refers }) => (refers === type.name && isWritten(field) ? [standardReferrer(referring, field)] : []))
  })
}

const standardReferrer = (type: RecordType, field: string): Referrer => ({
  type,
  field,
  where: (id) => [refersTo(field, id)],
  without: (record, id) => (record[field] === id ? { [field]: null } : undefined),
})

const refersTo = (field: string, id: string) => ({ field, family: 'text', operator: 'eq', value: id }) as const

/** Whether any record refers to this one. */
export async function isReferredTo(context: Context, reader: Pick<Reader, 'find'>, type: RecordType, id: string): Promise<boolean> {
  for (const { type: referring, where } of await referrersOf(context, reader, type)) {
    const query = { where: where(id), order: { field: referring.id, descending: false }, limit: 1, fields: [] }
    if ((await reader.find(referring.name, query)).records.length > 0) return true
  }
  return false
}

/**
 * Empties every reference to a record that is about to be deleted, whether the caller may see what refers to it or not; those of the record to itself go
 * with it.
 */
export async function emptyReferences(
  context: Context,
  writer: Writer,
  type: RecordType,
  id: string,
  interrupted?: InterruptedDelete,
): Promise<RecordChange[]> {
  const changes: RecordChange[] = []
  for (const { type: referring, field, where, without } of await referrersOf(context, writer, type)) {
    const { records } = await writer.find(referring.name, {
      where: where(id),
      order: { field: referring.id, descending: false },
      limit: LIMITS.references + 1 - changes.length,
    })
    if (changes.length + records.length > LIMITS.references)
      throw new CrmError(
        'conflict',
        `More than ${LIMITS.references.toLocaleString('en')} records refer to this ${type.name}, so it cannot be deleted with one call.`,
        {
          hint: `Give them another ${field}, or none, first: ${searchOf(referring)} finds them with { "${field}": "${id}" }.`,
        },
      )
    for (const found of records) {
      const record = await writer.get(referring.name, idOf(referring, found))
      const emptying = record && without(record, id)
      if (!emptying || (referring.name === type.name && idOf(referring, record) === id)) continue
      interrupted?.note(referring, record)
      const after = await writer.update(referring.name, idOf(referring, record), { ...emptying, ...nextRevision(record, writer.now()) })
      if (after) changes.push(changeTo(referring, 'updated', record, after))
    }
  }
  return [...changes, ...((await interrupted?.others(writer, changes)) ?? [])]
}

/** Empties every reference to a record, where it is there, and then removes it. What an earlier attempt has emptied on a CRM counts too. */
export async function removeWithReferences(
  context: Context,
  writer: Writer,
  type: RecordType,
  id: string,
  record: StoredRecord | undefined,
  remove: () => Promise<boolean>,
): Promise<{ readonly also: readonly RecordChange[]; readonly removed: boolean }> {
  const interrupted = context.binding.isStoreFor(type) || writer.isDryRun ? undefined : new InterruptedDelete(context, writer, type, id)
  const also = record ? await emptyReferences(context, writer, type, idOf(type, record), interrupted) : ((await interrupted?.others(writer, [])) ?? [])
  const removed = await remove()
  interrupted?.end()
  return { also, removed }
}

const searchOf = ({ name }: RecordType) => OPERATIONS.find(({ record, verb }) => record.name === name && verb === 'getMany')?.id

/** How many records of each type were emptied, as a delete answers it; nothing where none was. */
export function emptied(changes: readonly RecordChange[]): { readonly Emptied?: { readonly [type: string]: number } } {
  const counts: { [type: string]: number } = {}
  for (const { record } of changes) counts[record.name] = (counts[record.name] ?? 0) + 1
  return changes.length > 0 ? { Emptied: counts } : {}
}
