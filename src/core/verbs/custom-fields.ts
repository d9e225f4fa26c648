import { CrmError, type Fault } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { CUSTOM_TYPES, CustomObject, type CustomType, Definition, REFERRED } from '../../contract/records/custom-object.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { refuse } from '../call/check.ts'
import { definitionId, findDefinitions } from '../call/definitions.ts'
import { getRecord, type RecordOf, shown } from '../call/records.ts'
import { valueFault } from '../call/schemas.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import { definitionLimitFaults } from './definition-limits.ts'

type StoredDefinition = RecordOf<typeof Definition>

/** Changing a field to what it is already changes nothing. */
export function updateField(context: Context): Prepared {
  refuseOnCrm(context)
  const { operation, input } = context
  const { Retired, ...others } = input.FieldsToUpdate as StoredRecord
  const changes = { ...others, ...(Retired !== undefined && { Retired: Retired ?? false }) }
  return {
    on: Definition,
    async work(writer) {
      await writer.lockWorkspace()
      const definition = await namedField(writer, input)
      const after = { ...definition, ...changes } as StoredDefinition
      const faults = [...(await limitFaultsOf(writer, definition, after, 'FieldsToUpdate.Retired')), ...shapeFaults(after, 'FieldsToUpdate.')]
      if (faults.length > 0) throw refuse(operation, faults)
      const isSame = CHANGED.every((name) => JSON.stringify(after[name]) === JSON.stringify(definition[name]))
      const answer = { ...shown(Definition, after), UpdatedFields: isSame ? [] : Object.keys(changes) }
      if (isSame) return { answer }
      await writer.update(Definition.name, definition.DefinitionID, changes)
      return { answer, change: changeTo(Definition, 'updated', definition, after) }
    },
  }
}

export function deleteField(context: Context): Prepared {
  refuseOnCrm(context)
  return {
    on: Definition,
    async work(writer) {
      const definition = await namedField(writer, context.input)
      const { ObjectName, FieldName } = definition
      return { answer: { ObjectName, FieldName, Deleted: true }, change: await removeField(writer, definition) }
    },
  }
}

/** What can be changed of a definition. */
export const CHANGED = ['Label', 'Values', 'Retired'] as const

/** Which of Values and RefersTo go with a type. */
export function shapeFaults(
  { Type, Values, RefersTo }: { readonly Type: CustomType; readonly Values?: readonly string[] | null; readonly RefersTo?: string | null },
  at: string,
): Fault[] {
  const fault = (name: string, message: string, expected: string): Fault => ({ field: `${at}${name}`, code: 'value', message, expected })
  const [isReference, isChoice] = [Type === 'Reference', Type === 'Choice' || Type === 'Choices']
  return [
    ...(isReference && !RefersTo
      ? [{ field: `${at}RefersTo`, code: 'missing' as const, message: 'A Reference needs RefersTo.', expected: 'the record type that it points to' }]
      : []),
    ...(isReference && RefersTo && !REFERRED.includes(RefersTo) ? [valueFault(`${at}RefersTo`, RefersTo, REFERRED)] : []),
    ...(!isReference && RefersTo ? [fault('RefersTo', `A ${Type} refers to no record.`, 'no RefersTo, or Type Reference')] : []),
    ...(!isChoice && Values ? [fault('Values', `A ${Type} has no list of values.`, 'no Values, or Type Choice or Choices')] : []),
  ]
}

/** Refuses changes of fields that a CRM has defined. */
export function refuseOnCrm({ binding: { isStore, platform } }: Context): void {
  if (!isStore) throw new CrmError('unsupported', `The fields of custom objects are defined in ${platform.name}, and can be changed and deleted only there.`)
}

/** The definition that an input names, locked: a call that writes a value in the field holds a shared lock on it. */
async function namedField(writer: Writer, input: Context['input']): Promise<StoredDefinition> {
  const { ObjectName, FieldName } = input as { readonly ObjectName: string; readonly FieldName: string }
  const definition = await getRecord(writer, Definition, definitionId(ObjectName, FieldName))
  if (definition) return definition
  const fields = (await findDefinitions(writer, ObjectName)).map((one) => one.FieldName)
  if (fields.length > 0) throw noneCalled('FieldName', `${ObjectName} has no field`, FieldName, fields)
  const objects = new Set((await findDefinitions(writer, undefined)).map((one) => one.ObjectName))
  throw noneCalled('ObjectName', 'There is no custom object', ObjectName, objects)
}

function noneCalled(field: string, what: string, name: string, names: Iterable<string>): CrmError {
  const message = `${what} called ${quote(name)}.`
  const [near] = nearest(name, names)
  return new CrmError('not_found', message, { errors: [{ field, code: 'not_found', message, ...(near && { didYouMean: near }) }] })
}

/** The limits that a definition exceeds once it is in use, or retired, as it was not before. */
export async function limitFaultsOf(writer: Writer, before: StoredDefinition | undefined, after: StoredDefinition, at: string) {
  if (before && before.Retired === after.Retired) return []
  const others = (await findDefinitions(writer, undefined)).filter(({ ObjectName, FieldName }) => definitionId(ObjectName, FieldName) !== after.DefinitionID)
  return definitionLimitFaults([...others, { ...after, Retired: after.Retired ?? false }], after.ObjectName, { added: 1, retired: after.Retired ?? false, at })
}

/** Deletes a definition, unless a record has a value in the field: defined again with another type, the field would have values of the old one. */
export async function removeField(writer: Writer, definition: StoredDefinition): Promise<RecordChange> {
  const { DefinitionID, ObjectName, FieldName, Type } = definition
  const { records } = await writer.find(CustomObject.name, {
    where: [
      { field: 'ObjectName', family: 'text', operator: 'eq', value: ObjectName },
      { field: 'Values', name: FieldName, family: FIELD_KINDS[CUSTOM_TYPES[Type]], operator: 'ne', value: null },
    ],
    order: { field: CustomObject.id, descending: false },
    limit: 1,
    fields: [],
  })
  if (records.length > 0)
    throw new CrmError('conflict', `Records of ${ObjectName} have a value in ${FieldName}, so it cannot be deleted.`, {
      hint: `Clear it in the records that get_many_custom_objects finds with { "ObjectName": "${ObjectName}", "${FieldName}": { "ne": null } }, or retire the field with update_custom_field.`,
    })
  await writer.delete(Definition.name, DefinitionID)
  return changeTo(Definition, 'deleted', definition, null)
}
