import { CrmError, type Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CUSTOM_TYPES, CustomObject, Definition as DefinitionType, type FieldDraft } from '../../contract/records/custom-object.ts'
import type { StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { customFaults, refuse } from '../call/check.ts'
import { definitionId, definitionsOf, fieldsOf, findDefinitions, lockFields, valuesOf } from '../call/definitions.ts'
import { canonical, type Definition } from '../call/filters.ts'
import { newRecord } from '../call/records.ts'
import { unknownName } from '../call/schemas.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { platformOf } from '../service.ts'
import { definitionLimitFaults } from './definition-limits.ts'

/** Names that a record of a custom object already has, so that no user-defined field may take them. */
const TAKEN: ReadonlySet<string> = new Set([...Object.keys(CustomObject.fields), 'Fields'])

/** Creates a record of an object, and defines the fields the object does not have yet. */
export function createCustom(context: Context): Prepared {
  const { caller, operation, input } = context
  const objectName = input.ObjectName as string
  const drafts = Object.entries(input.Fields as Record<string, FieldDraft>)
  const valued = drafts.flatMap(([name, { Value = null }]) => (Value === null ? [] : [name]))
  return {
    on: CustomObject,
    async work(writer) {
      let existing = await definitionsOf(writer, objectName)
      if (drafts.some(([name]) => !existing.has(name))) {
        // Another call may be defining the same fields.
        await writer.lockWorkspace()
        existing = await definitionsOf(writer, objectName)
      }
      if (isInStore(context)) await lockFields(writer, existing, valued)
      const faults: Fault[] = []
      const conflicts: Fault[] = []
      const created: Definition[] = []
      const values: Record<string, Value> = Object.create(null)

      for (const [name, draft] of drafts) {
        const at = `Fields.${name}`
        const definition = existing.get(name) ?? newDefinition(objectName, name, draft, at, faults)
        if (!definition) continue
        if (!existing.has(name)) created.push(definition)
        const disagrees = (['Type', 'Label'] as const).filter((member) => draft[member] !== undefined && draft[member] !== definition[member])
        for (const member of disagrees) {
          const message = `${name} of ${objectName} already has the ${member} ${JSON.stringify(definition[member])}.`
          conflicts.push({ field: `${at}.${member}`, code: 'conflict', message, expected: definition[member] })
        }
        if (disagrees.length > 0 || draft.Value === undefined || draft.Value === null) continue
        const wrong = valueFaults(definition, draft.Value, `${at}.Value`)
        faults.push(...wrong)
        if (wrong.length === 0) values[name] = canonical(CUSTOM_TYPES[definition.Type], draft.Value)
      }

      if (created.length > 0) {
        // A CRM has limits of its own for all of its objects.
        const others = isInStore(context) ? await findDefinitions(writer, undefined) : existing.values()
        faults.push(...definitionLimitFaults([...others, ...created], objectName, { added: created.length }))
      }
      if (faults.length > 0) throw refuse(operation, faults)
      if (conflicts.length > 0) {
        throw new CrmError('conflict', conflicts[0]?.message ?? '', {
          errors: conflicts,
          hint: 'Leave Type and Label out to use the definition that exists, or choose another field name.',
        })
      }

      const { at } = writer.newId()
      for (const definition of created) {
        const record = newRecord(DefinitionType, { id: definitionId(objectName, definition.FieldName), at }, { ...definition })
        await writer.create(DefinitionType.name, record)
      }
      const draft = newRecord(CustomObject, writer.newId(), { ObjectName: objectName, Values: values, OwnerID: caller.userId })
      const record = await writer.create(CustomObject.name, draft)
      const definitions = [...existing.values(), ...created]
      return {
        answer: { ...record, Values: valuesOf(definitions, record.Values as Record<string, Value>), Fields: fieldsOf(definitions) },
        change: changeTo(CustomObject, 'created', null, record),
      }
    },
  }
}

const isInStore = ({ service, caller }: Context) => platformOf(service, caller.workspace) === service.store

/** The faults of a value for a field. A retired field takes none but null. */
function valueFaults({ ObjectName, FieldName, Type, Retired }: Definition, value: unknown, at: string): Fault[] {
  if (!Retired || value === null) return customFaults(Type, value, at)
  return [{ field: at, code: 'read_only', message: `${FieldName} of ${ObjectName} is retired, and takes no new values.`, expected: 'null' }]
}

function newDefinition(objectName: string, name: string, draft: FieldDraft, at: string, faults: Fault[]): Definition | undefined {
  if (TAKEN.has(name)) {
    faults.push({
      field: at,
      code: 'value',
      message: `${name} is a field that every record has; choose another name.`,
      expected: `a name other than ${[...TAKEN].join(', ')}`,
    })
    return undefined
  }
  if (draft.Type === undefined || draft.Label === undefined) {
    for (const member of ['Type', 'Label'] as const) {
      if (draft[member] === undefined)
        faults.push({ field: `${at}.${member}`, code: 'missing', message: `${at}.${member} is required for a field that ${objectName} does not have yet.` })
    }
    return undefined
  }
  return { ObjectName: objectName, FieldName: name, Type: draft.Type, Label: draft.Label }
}

/** What an update of a custom object's record sets, typed by its definitions. */
export async function customChanges(
  context: Context,
  writer: Writer,
  record: StoredRecord,
  given: StoredRecord,
): Promise<{ changes: StoredRecord; answer: (after: StoredRecord) => Record<string, unknown> }> {
  const { OwnerID, ...named } = given
  const byName = await definitionsOf(writer, record.ObjectName as string)
  if (isInStore(context)) await lockFields(writer, byName, Object.keys(named))
  const definitions = [...byName.values()]
  const faults: Fault[] = []
  const values: Record<string, Value> = Object.assign(Object.create(null), record.Values)

  for (const [name, value] of Object.entries(named)) {
    if (faults.length >= LIMITS.faults) break
    const at = `FieldsToUpdate.${name}`
    const definition = byName.get(name)
    if (!definition) {
      faults.push(
        TAKEN.has(name)
          ? { field: at, code: 'read_only', message: `${name} cannot be changed.` }
          : unknownName(at, name, [...byName.keys(), 'OwnerID'], { suggests: faults.length < LIMITS.suggestions }),
      )
      continue
    }
    const wrong = valueFaults(definition, value, at)
    faults.push(...wrong)
    if (wrong.length > 0) continue
    if (value === null) delete values[name]
    else values[name] = canonical(CUSTOM_TYPES[definition.Type], value as Value)
  }
  if (faults.length > 0) throw refuse(context.operation, faults)
  return {
    changes: { ...(OwnerID !== undefined && { OwnerID }), Values: values },
    answer: ({ Values }) => ({ Values: valuesOf(definitions, Values as Record<string, unknown>), Fields: fieldsOf(definitions) }),
  }
}

/** The first field in which a record that is brought back has a value that the field, as it is defined now, could not have; the fields are locked. */
export async function misfitOf(writer: Writer, { ObjectName, Values }: StoredRecord): Promise<string | undefined> {
  const values = Object.entries(Values as { readonly [name: string]: Value })
  const definitions = await definitionsOf(writer, ObjectName as string)
  await lockFields(
    writer,
    definitions,
    values.map(([name]) => name),
  )
  return values.find(([name, value]) => {
    const definition = definitions.get(name)
    return !definition || customFaults(definition.Type, value, name).length > 0
  })?.[0]
}
