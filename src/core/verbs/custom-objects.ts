import { CrmError, type Fault } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CUSTOM_TYPES, CustomObject, type CustomType, Definition as DefinitionType, type FieldDraft } from '../../contract/records/custom-object.ts'
import { quoted, quotedChoice } from '../../contract/visible-text.ts'
import type { StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { ownersFor } from '../access/access.ts'
import { customFaults, refuse } from '../call/check.ts'
import { definitionId, definitionsOf, fieldsOf, findDefinitions, lockFields, valuesOf } from '../call/definitions.ts'
import { canonical, type Definition } from '../call/filters.ts'
import { idOf, newRecord, nextRevision } from '../call/records.ts'
import { unknownName, valueFault } from '../call/schemas.ts'
import type { Context, Prepared, Written } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { shapeFaults } from './custom-fields.ts'
import { definitionLimitFaults } from './definition-limits.ts'
import { checkCustomReferences } from './references.ts'
import { NAMED, severalMatch } from './upsert.ts'
import { isCreatedBefore, rememberUpsert, upsertedBefore } from './upserts-on-crms.ts'

/** Names that a record of a custom object already has, so that no user-defined field may take them. */
const TAKEN: ReadonlySet<string> = new Set([...Object.keys(CustomObject.fields), 'Fields'])

/** Creates a record of an object, and defines the fields the object does not have yet. */
export function createCustom(context: Context): Prepared {
  return {
    on: CustomObject,
    async work(writer) {
      return createRecord(context, writer, await valuesFor(context, writer))
    },
  }
}

/** Updates the record of an object that matches, or creates it. */
export function upsertCustom(context: Context): Prepared {
  const { caller, operation, input } = context
  const objectName = input.ObjectName as string
  const drafts = input.Fields as Record<string, FieldDraft>
  const matched = [...((input.MatchBy as readonly string[] | undefined) ?? ['ExternalID'])].sort()
  const missing = matched.filter((name) => !Object.hasOwn(drafts, name) || (drafts[name]?.Value ?? null) === null)
  if (missing.length > 0) {
    const faults = missing.map((name): Fault => {
      const field = `Fields.${name}.Value`
      return { field, code: 'missing', message: `${field} is required, since the record is looked for by it.` }
    })
    throw refuse(operation, faults)
  }
  const name = `${objectName} ${matched.map((field) => `${field} ${JSON.stringify(drafts[field]?.Value)}`).join(' and ')}`
  return {
    on: CustomObject,
    async work(writer) {
      await writer.lockName(name)
      const given = await valuesFor(context, writer)
      refuseLists(context, given.definitions)
      const where = [
        { field: 'ObjectName', family: 'text', operator: 'eq', value: objectName } as const,
        ...matched.map((field) => {
          const family = familyOf(given.definitions.find(({ FieldName }) => FieldName === field)?.Type ?? 'String')
          return { field: 'Values', name: field, family, operator: 'eq', value: given.values[field] as Value } as const
        }),
      ]
      const query = { ...ownersFor(caller, CustomObject), where, order: { field: CustomObject.id, descending: false }, limit: NAMED + 1 }
      const { records } = await writer.find(CustomObject.name, query)
      if (records.length > 1) throw severalMatch(CustomObject, matched, records)
      const one = records[0] ?? (await upsertedBefore(context, writer, name, where))
      const record = one && (await writer.get(CustomObject.name, idOf(CustomObject, one)))
      if (record && (await isCreatedBefore(context, writer, CustomObject, record))) {
        const answer = { ...answerOf(record, given.definitions), Created: true, UpdatedFields: [] }
        return { answer, change: changeTo(CustomObject, 'created', null, record) }
      }
      if (record) return updateRecord(writer, record, given)
      const created = await createRecord(context, writer, given)
      await rememberUpsert(context, writer, name, where, created.answer as StoredRecord)
      return { ...created, answer: { ...created.answer, Created: true, UpdatedFields: [] } }
    },
  }
}

/** The definitions of an object, and the values that an input has for its fields; null where it clears one. */
interface GivenValues {
  readonly definitions: readonly Definition[]
  readonly values: { readonly [name: string]: Value }
}

async function createRecord({ caller, input }: Context, writer: Writer, { definitions, values }: GivenValues): Promise<Written> {
  const own = Object.assign(Object.create(null), Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)))
  const draft = newRecord(CustomObject, writer.newId(), { ObjectName: input.ObjectName, Values: own, OwnerID: caller.userId })
  const record = await writer.create(CustomObject.name, draft)
  return { answer: answerOf(record, definitions), change: changeTo(CustomObject, 'created', null, record) }
}

/** Sets what differs. Where nothing does, nothing is written. */
async function updateRecord(writer: Writer, record: StoredRecord, { definitions, values }: GivenValues): Promise<Written> {
  const before = record.Values as { readonly [name: string]: Value }
  const after: Record<string, Value> = Object.assign(Object.create(null), before)
  for (const [name, value] of Object.entries(values)) {
    if (value === null) delete after[name]
    else after[name] = value
  }
  const UpdatedFields = Object.keys(values).filter((name) => !isSame(before[name] ?? null, values[name]))
  const answer = (one: StoredRecord) => ({ ...answerOf(one, definitions), Created: false, UpdatedFields })
  if (UpdatedFields.length === 0) return { answer: answer(record) }
  const updated = await writer.update(CustomObject.name, idOf(CustomObject, record), { Values: after, ...nextRevision(record, writer.now()) })
  if (!updated) throw new CrmError('conflict', 'The record has just been deleted.', { hint: 'Repeat the call.' })
  return { answer: answer(updated), change: changeTo(CustomObject, 'updated', record, updated) }
}

const answerOf = (record: StoredRecord, definitions: readonly Definition[]) => ({
  ...record,
  Values: valuesOf(definitions, record.Values as Record<string, Value>),
  Fields: fieldsOf(definitions),
})

/** The values of an input, typed by the definitions of its object. Fields that the object does not have yet are defined. */
async function valuesFor(context: Context, writer: Writer): Promise<GivenValues> {
  const { operation, input } = context
  const objectName = input.ObjectName as string
  const drafts = Object.entries(input.Fields as Record<string, FieldDraft>)
  const valued = drafts.flatMap(([name, { Value = null }]) => (Value === null ? [] : [name]))
  let existing = await definitionsOf(writer, objectName)
  if (drafts.some(([name]) => !existing.has(name))) {
    // Another call may be defining the same fields.
    await writer.lockWorkspace()
    existing = await definitionsOf(writer, objectName)
  }
  if (context.binding.isStoreFor(CustomObject)) await lockFields(writer, existing, valued)
  const faults: Fault[] = []
  const conflicts: Fault[] = []
  const created: Definition[] = []
  const values: Record<string, Value> = Object.create(null)

  for (const [name, draft] of drafts) {
    const at = `Fields.${name}`
    const definition = existing.get(name) ?? newDefinition(objectName, name, draft, at, faults)
    if (!definition) continue
    if (!existing.has(name)) created.push(definition)
    const disagrees = DEFINING.filter((member) => !agrees(member, draft, definition))
    for (const member of disagrees) {
      const message = `${name} of ${objectName} already has the ${member} ${quoted(definition[member] ?? null)}.`
      conflicts.push({ field: `${at}.${member}`, code: 'conflict', message, expected: quotedChoice(String(definition[member] ?? 'none')) })
    }
    if (disagrees.length > 0 || draft.Value === undefined) continue
    const wrong = valueFaults(definition, draft.Value, `${at}.Value`)
    faults.push(...wrong)
    if (wrong.length === 0) values[name] = storedValue(definition, draft.Value)
  }

  if (created.length > 0) {
    // A CRM has limits of its own for all of its objects.
    const others = context.binding.isStoreFor(CustomObject) ? await findDefinitions(writer, undefined) : existing.values()
    faults.push(...definitionLimitFaults([...others, ...created], objectName, { added: created.length }))
  }
  if (faults.length > 0) throw refuse(operation, faults)
  if (conflicts.length > 0) {
    throw new CrmError('conflict', conflicts[0]?.message ?? '', {
      errors: conflicts,
      hint: 'Leave all but Value out to use the definition that exists, or choose another field name.',
    })
  }

  const definitions = [...existing.values(), ...created]
  await checkCustomReferences(context, writer, definitions, values, (name) => `Fields.${name}.Value`)
  const { at } = writer.newId()
  for (const definition of created) {
    const record = newRecord(DefinitionType, { id: definitionId(objectName, definition.FieldName), at }, { ...definition })
    await writer.create(DefinitionType.name, record)
  }
  return { definitions, values }
}

/** What defines a field, beside its names. */
const DEFINING = ['Type', 'Label', 'Values', 'RefersTo'] as const

/** Whether a draft says the same as the definition, or nothing. Choices and references are texts, too: callers who know them as such may say String. */
function agrees(member: (typeof DEFINING)[number], draft: FieldDraft, definition: Definition): boolean {
  const given = draft[member]
  if (given === undefined || given === definition[member]) return true
  if (member === 'Type') return given === 'String' && familyOf(definition.Type) === 'text'
  return member === 'Values' && isSame([...(given as readonly string[])].sort(), [...(definition.Values ?? [])].sort())
}

const familyOf = (type: CustomType) => FIELD_KINDS[CUSTOM_TYPES[type]]

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** A value as it is stored; an empty list is none. */
function storedValue({ Type }: Pick<Definition, 'Type'>, value: unknown): Value {
  return Array.isArray(value) && value.length === 0 ? null : canonical(CUSTOM_TYPES[Type], value as Value)
}

/** Lists are not compared as a whole, and so records are not looked for by them. */
function refuseLists({ operation, input }: Context, definitions: readonly Definition[]): void {
  const faults = ((input.MatchBy as readonly string[] | undefined) ?? []).flatMap((name, i): Fault[] => {
    const definition = definitions.find(({ FieldName }) => FieldName === name)
    if (!definition || familyOf(definition.Type) !== 'list') return []
    return [{ field: `MatchBy.${i}`, code: 'value', message: `${name} holds a list, by which no record can be found.`, expected: 'a field with one value' }]
  })
  if (faults.length > 0) throw refuse(operation, faults)
}

/** The faults of a value for a field. A retired field takes none but null, a choice with Values none but these. */
function valueFaults({ ObjectName, FieldName, Type, Values, Retired }: Definition, value: unknown, at: string): Fault[] {
  if (!Retired || value === null) {
    const faults = customFaults(Type, value, at)
    if (faults.length > 0 || !Values || value === null) return faults
    if (!Array.isArray(value)) return Values.includes(value as string) ? [] : [valueFault(at, value, Values)]
    return value.flatMap((one, i) => (Values.includes(one) ? [] : [valueFault(`${at}.${i}`, one, Values)]))
  }
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
  const { Type, Label, Values, RefersTo } = draft
  const wrong = shapeFaults(draft as FieldDraft & { readonly Type: CustomType }, `${at}.`)
  faults.push(...wrong)
  return wrong.length > 0 ? undefined : { ObjectName: objectName, FieldName: name, Type, Label, ...(Values && { Values }), ...(RefersTo && { RefersTo }) }
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
  if (context.binding.isStoreFor(CustomObject)) await lockFields(writer, byName, Object.keys(named))
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
    const stored = storedValue(definition, value)
    if (stored === null) delete values[name]
    else values[name] = stored
  }
  if (faults.length > 0) throw refuse(context.operation, faults)
  const changed = Object.fromEntries(Object.keys(named).map((name) => [name, values[name] ?? null]))
  await checkCustomReferences(context, writer, definitions, changed, (name) => `FieldsToUpdate.${name}`)
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
