import { CrmError, type Fault } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { fold, nearest } from '../../contract/names.ts'
import { quote, recordType } from '../../contract/operations.ts'
import { nameBehind, words } from '../../contract/record.ts'
import { OWN_KINDS, OwnField, type OwnKind } from '../../contract/records/own-field.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { definedFields, type OwnFieldRecord } from '../access/own-fields.ts'
import { refuse } from '../call/check.ts'
import { typeOn } from '../call/extension.ts'
import { getRecord, hasValues, newRecord } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { nameFaults } from './field-names.ts'
import { refuseShared, refuseSharedSince } from './shared-values.ts'

/** Adds a field. Nothing of a table is changed: the values of all such fields are in one column, which is there already. */
export function defineField(context: Context): Prepared {
  refuseOnCrm(context)
  const { operation, input } = context
  const { RecordType, FieldName } = input as { readonly RecordType: string; readonly FieldName: string }
  const type = recordType(RecordType)
  const faults = [...nameFaults(type, FieldName, input.Kind === 'reference'), ...shapeFaults(input)]
  if (faults.length > 0) throw refuse(operation, faults)
  return {
    on: OwnField,
    async work(writer) {
      await writer.lockWorkspace()
      const fields = (await definedFields(writer)).filter((one) => one.RecordType === RecordType)
      const same = fields.find((one) => fold(one.FieldName) === fold(FieldName))
      const identity = { id: fieldId(RecordType, FieldName), at: writer.now() }
      const field = newRecord(OwnField, identity, {
        Label: words(FieldName),
        ...input,
        // An index is part of how values are stored, and so it stays when a field is no longer unique.
        Indexed: (input.Indexed ?? (same?.Retired && same.Indexed)) === true || input.Unique === true || input.Kind === 'reference',
      }) as OwnFieldRecord
      if (same) return bringBack(writer, same, field)
      const clash = fields.find((one) => namesOf(one).some((name) => namesOf(field).includes(name)))
      if (clash)
        throw conflict(
          'FieldName',
          `${RecordType} has a field ${clash.FieldName}, whose name this one, or the record behind it, would have.`,
          'Choose another name.',
        )
      if (fields.length >= LIMITS.ownFields) throw refuse(operation, [tooMany(RecordType)])
      await writer.create(OwnField.name, field)
      return { answer: field, change: changeTo(OwnField, 'created', null, field) }
    },
  }
}

/** The names that a field has in answers: its own, and that of the record behind a reference. */
const namesOf = ({ FieldName, Kind }: OwnFieldRecord) => (Kind === 'reference' ? [FieldName, nameBehind(FieldName)] : [FieldName]).map(fold)

/** Defines a field that was retired again. Its values are there still, so that it has to be of the same kind. */
async function bringBack(writer: Writer, before: OwnFieldRecord, field: OwnFieldRecord) {
  const { RecordType, FieldName } = before
  if (before.Retired && FieldName !== field.FieldName)
    throw conflict('FieldName', `${RecordType} has a retired field ${FieldName}.`, `Define it as ${FieldName} to bring it back, or choose another name.`)
  if (!before.Retired) throw conflict('FieldName', `${RecordType} has a field ${FieldName} already.`, 'Change it with update_field, or choose another name.')
  if (before.Kind !== field.Kind || before.RefersTo !== field.RefersTo || before.Indexed !== field.Indexed)
    throw conflict(
      before.Kind === field.Kind ? 'Indexed' : 'Kind',
      `${FieldName} was retired as ${described(before)}, and records have values of it: it comes back only as that.`,
      'Define it as it was, or choose another name.',
    )
  if (field.Unique && !before.Unique)
    throw conflict(
      'Unique',
      `${FieldName} was not unique when it was retired, and records have values of it.`,
      'Define it without Unique, then set Unique with update_field.',
    )
  const after = { ...field, CreatedDate: before.CreatedDate }
  await writer.update(OwnField.name, before.FieldID, after)
  return { answer: after, change: changeTo(OwnField, 'restored', before, after) }
}

const described = (field: OwnFieldRecord) => `${field.Kind}${field.RefersTo ? ` to ${field.RefersTo}` : ''}${field.Indexed ? ', indexed' : ''}`

/** Changing a field to what it is already changes nothing. */
export async function updateOwnField(context: Context): Promise<Prepared> {
  refuseOnCrm(context)
  const { operation, input } = context
  const changes = input.FieldsToUpdate as StoredRecord
  const unshared = changes.Unique === true ? await sharedBefore(context) : undefined
  return {
    on: OwnField,
    async work(writer) {
      await writer.lockWorkspace()
      const before = await namedField(writer, input)
      if (changes.Unique === true && !before.Unique && before.Indexed) await unshared?.(writer)
      for (const name of ['Kind', 'RefersTo', 'Indexed', 'Unique'] as const) refuseFixed(before, changes, name)
      const after = { ...before, ...changes } as OwnFieldRecord
      const faults = shapeFaults(after, 'FieldsToUpdate.')
      if (faults.length > 0) throw refuse(operation, faults)
      const UpdatedFields = Object.keys(changes)
      if (hasValues(before, changes)) return { answer: { ...before, UpdatedFields: [] } }
      await writer.update(OwnField.name, before.FieldID, changes)
      return { answer: { ...after, UpdatedFields }, change: changeTo(OwnField, 'updated', before, after) }
    },
  }
}

/**
 * Looks for equal values before the write, which then has to look only at records that were changed meanwhile: reading all of them inside the transaction
 * would hold up other writes.
 */
async function sharedBefore({ caller, binding, budget, input }: Context): Promise<((writer: Writer) => Promise<void>) | undefined> {
  const { RecordType, FieldName } = input as { readonly RecordType: string; readonly FieldName: string }
  const { platform } = binding
  const type = typeOn(platform, recordType(RecordType))
  const own = platform.supports.extras[RecordType]?.[FieldName]?.own
  if (!own?.indexed || own.unique) return undefined
  const since = new Date(Date.now() - CLOCKS_DIFFER_MS).toISOString()
  await refuseShared(platform.reader(caller.workspace.number, { budget }), type, FieldName)
  return (writer) => refuseSharedSince(writer, type, FieldName, since)
}

/** The clocks of several processes differ by less than this. */
const CLOCKS_DIFFER_MS = 60_000

/** What decides how values are stored cannot be changed. Whether they are unique can, where an index finds equal ones. */
function refuseFixed(before: OwnFieldRecord, changes: StoredRecord, name: 'Kind' | 'RefersTo' | 'Indexed' | 'Unique'): void {
  const given = changes[name]
  if (given === undefined || given === before[name]) return
  if (name === 'Unique' && (given === false || before.Indexed)) return
  if (name === 'Unique')
    throw conflict(
      'FieldsToUpdate.Unique',
      `${before.FieldName} has no index, which a unique field needs, and records have values that are stored so.`,
      'Define another field with Unique, and retire this one.',
    )
  const message = `${name} of ${before.FieldName} is ${quote(String(before[name]))}, and cannot be changed: records have values that are stored so.`
  throw conflict(`FieldsToUpdate.${name}`, message, 'Define another field, and retire this one.')
}

/** Retiring a field twice changes nothing. */
export function retireField(context: Context): Prepared {
  refuseOnCrm(context)
  return {
    on: OwnField,
    async work(writer) {
      await writer.lockWorkspace()
      const before = await namedField(writer, context.input, true)
      if (before.Retired) return { answer: before }
      const after = { ...before, Retired: true }
      await writer.update(OwnField.name, before.FieldID, { Retired: true })
      return { answer: after, change: changeTo(OwnField, 'retired', before, after) }
    },
  }
}

function refuseOnCrm({ binding }: Context): void {
  if (binding.isStore) return
  throw new CrmError('unsupported', `The fields of ${binding.platform.name} are defined there.`, {
    hint: 'Every field that the account has is found by itself; describe lists them.',
  })
}

/** Made of the two names, so that a field is never defined twice. Names contain no dot. */
const fieldId = (type: string, field: string) => `${type}.${field}`

async function namedField(writer: Writer, input: Context['input'], isRetiredToo = false): Promise<OwnFieldRecord> {
  const { RecordType, FieldName } = input as { readonly RecordType: string; readonly FieldName: string }
  const field = await getRecord(writer, OwnField, fieldId(RecordType, FieldName))
  if (field && (isRetiredToo || !field.Retired)) return field
  const message = `${RecordType} has no field of its own called ${quote(FieldName)}.`
  const others = (await definedFields(writer)).filter((one) => one.RecordType === RecordType && !one.Retired)
  const [near] = nearest(
    FieldName,
    others.map((one) => one.FieldName),
  )
  const hint = Object.hasOwn(recordType(RecordType).fields, FieldName) ? 'It is a standard field, and stays as it is.' : undefined
  const fault: Fault = { field: 'FieldName', code: 'not_found', message, ...(near && { didYouMean: near }) }
  throw new CrmError('not_found', message, { errors: [fault], ...(hint && { hint }) })
}

function conflict(field: string, message: string, hint: string): CrmError {
  return new CrmError('conflict', message, { errors: [{ field, code: 'conflict', message }], hint })
}

const tooMany = (type: string): Fault => ({
  field: 'FieldName',
  code: 'count',
  message: `${type} would have more than ${LIMITS.ownFields} fields of its own, retired ones included.`,
  expected: `at most ${LIMITS.ownFields}`,
})

/** Which of Values, RefersTo, Unique and Indexed go with a kind. */
function shapeFaults(input: { readonly [name: string]: unknown }, at = ''): Fault[] {
  const kind = input.Kind as OwnKind
  const fault = (name: string, message: string, expected: string): Fault => ({ field: `${at}${name}`, code: 'value', message, expected })
  const faults: Fault[] = []
  if (kind === 'reference' && (input.RefersTo ?? null) === null)
    faults.push({ field: `${at}RefersTo`, code: 'missing', message: 'A reference needs RefersTo.', expected: 'the record type that it points to' })
  if (kind !== 'reference' && (input.RefersTo ?? null) !== null)
    faults.push(fault('RefersTo', `A ${kind} refers to no record.`, 'no RefersTo, or Kind reference'))
  if (kind !== 'choice' && kind !== 'choices' && (input.Values ?? null) !== null)
    faults.push(fault('Values', `A ${kind} has no list of values.`, 'no Values, or Kind choice or choices'))
  const family = FIELD_KINDS[OWN_KINDS[kind]]
  for (const name of ['Unique', 'Indexed'])
    if (input[name] === true && (family === undefined || family === 'list'))
      faults.push(fault(name, `A ${kind} cannot be ${name.toLowerCase()}.`, `a kind with one plain value, or no ${name}`))
  return faults
}
