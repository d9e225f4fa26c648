import { CrmError } from '../../contract/errors.ts'
import type { FieldDefinition } from '../../contract/records/custom-object.ts'
import type { Reader, Writer } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import type { Binding } from '../binding.ts'
import type { Definition } from './filters.ts'

const PAGE = 1000

/** With more names than this, reading all definitions is quicker. */
const FEW = 10

/** The definitions of these objects of a workspace, or of more; of all where `objectNames` is undefined. The names are as a caller gave them. */
export async function definitionsFor(binding: Binding, workspace: Workspace, objectNames: readonly string[] | undefined): Promise<Definition[]> {
  const reader = binding.platform.reader(workspace.number)
  const names = objectNames && new Set(objectNames.filter((name) => /^\w+$/.test(name)))
  if (!names || names.size > FEW) return findDefinitions(reader, undefined)
  return (await Promise.all([...names].map((name) => findDefinitions(reader, name)))).flat()
}

/** The definitions of one object, or of all of them, in the order they were made. */
export async function findDefinitions(reader: Reader, objectName: string | undefined): Promise<Definition[]> {
  const definitions: Definition[] = []
  for (;;) {
    const last = definitions.at(-1)
    const { records, more } = await reader.find('Definition', {
      where: objectName === undefined ? [] : [{ field: 'ObjectName', family: 'text', operator: 'eq', value: objectName }],
      order: { field: 'DefinitionID', descending: false },
      ...(last && { after: { value: definitionId(last.ObjectName, last.FieldName), id: definitionId(last.ObjectName, last.FieldName) } }),
      limit: PAGE,
    })
    // A platform may keep null for what is not retired.
    definitions.push(...(records as unknown as Definition[]).map(({ Retired, ...rest }) => ({ ...rest, ...(Retired && { Retired }) })))
    if (!more) return definitions
  }
}

/** The definitions of one object, by the name of the field. */
export async function definitionsOf(reader: Reader, objectName: string): Promise<Map<string, Definition>> {
  return new Map((await findDefinitions(reader, objectName)).map((definition) => [definition.FieldName, definition]))
}

/**
 * Locks those of an object's definitions that values are written for, and reads them again: none of these fields is retired or deleted before the
 * write has ended.
 */
export async function lockFields(writer: Writer, definitions: Map<string, Definition>, fieldNames: readonly string[]): Promise<void> {
  const lock = async ({ ObjectName, FieldName }: Definition) => {
    const locked = await writer.getForReference('Definition', definitionId(ObjectName, FieldName))
    if (!locked) throw new CrmError('conflict', `${FieldName} of ${ObjectName} has just been deleted.`, { hint: 'Repeat the call.' })
    definitions.set(FieldName, locked as unknown as Definition)
  }
  await Promise.all(fieldNames.flatMap((name) => definitions.get(name) ?? []).map(lock))
}

/** Made of the two names, so that a field is never defined twice. Names contain no dot. */
export const definitionId = (objectName: string, fieldName: string) => `${objectName}.${fieldName}`

/** Definitions as records answer with them. A name such as `constructor` is harmless in a map without a prototype. */
export function fieldsOf(definitions: readonly Definition[]): Record<string, FieldDefinition> {
  const fields: Record<string, FieldDefinition> = Object.create(null)
  for (const { FieldName, Type, Label, Values, RefersTo, Retired } of definitions)
    fields[FieldName] = { Type, Label, ...(Values && { Values }), ...(RefersTo && { RefersTo }), ...(Retired && { Retired }) }
  return fields
}

/** A record's values with null for every defined field it has none for. */
export function valuesOf(definitions: readonly Definition[], values: Record<string, unknown>): Record<string, unknown> {
  const all: Record<string, unknown> = Object.create(null)
  for (const { FieldName } of definitions) all[FieldName] = Object.hasOwn(values, FieldName) ? values[FieldName] : null
  return all
}
