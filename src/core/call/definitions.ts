import type { FieldDefinition } from '../../contract/records/custom-object.ts'
import type { Reader } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { platformOf, type Service } from '../service.ts'
import type { Definition } from './filters.ts'

const PAGE = 1000

/** With more names than this, reading all definitions is quicker. */
const FEW = 10

/** The definitions of these objects of a workspace, or of more; of all where `objectNames` is undefined. The names are as a caller gave them. */
export async function definitionsFor(service: Service, workspace: Workspace, objectNames: readonly string[] | undefined): Promise<Definition[]> {
  const reader = platformOf(service, workspace).reader(workspace.number)
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
    definitions.push(...(records as unknown as Definition[]))
    if (!more) return definitions
  }
}

/** Made of the two names, so that a field is never defined twice. Names contain no dot. */
export const definitionId = (objectName: string, fieldName: string) => `${objectName}.${fieldName}`

/** Definitions as records answer with them. A name such as `constructor` is harmless in a map without a prototype. */
export function fieldsOf(definitions: readonly Definition[]): Record<string, FieldDefinition> {
  const fields: Record<string, FieldDefinition> = Object.create(null)
  for (const { FieldName, Type, Label } of definitions) fields[FieldName] = { Type, Label }
  return fields
}

/** A record's values with null for every defined field it has none for. */
export function valuesOf(definitions: readonly Definition[], values: Record<string, unknown>): Record<string, unknown> {
  const all: Record<string, unknown> = Object.create(null)
  for (const { FieldName } of definitions) all[FieldName] = Object.hasOwn(values, FieldName) ? values[FieldName] : null
  return all
}
