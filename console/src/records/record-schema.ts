import { CUSTOM_TYPES, type CustomType, nameBehind, OPERATIONS, type Operation, recordType, type Verb } from 'crm-connector/contract'
import { useMemo } from 'react'
import { isUser } from '../grid/cell.tsx'
import { shownText } from '../parts/visible-text.ts'
import { type DescribedField, type Description, type Session, useSession } from '../session/session.ts'
import { COMMON_FIELDS } from './common-fields.ts'

/** One record by field; the values of a custom object stand beside the common fields. */
export type Row = { readonly [field: string]: unknown }

/** A field that refers to a record of another type, which `Include` answers with. */
export interface Reference {
  readonly field: string
  /** The member of an answer that has the record. */
  readonly name: string
  readonly recordType: string
  readonly path: readonly string[]
  readonly id: string
  readonly titles: readonly string[]
}

/** A record type or custom object as tables, forms and pages need it, derived from `describe` and the contract. */
export interface RecordSchema {
  readonly recordType: string
  /** The name of the custom object, if it is one. */
  readonly objectName: string | undefined
  /** The path of its table: `#/leads`. */
  readonly path: readonly string[]
  readonly one: string
  readonly many: string
  readonly title: string
  readonly summary: string
  /** The field that holds the id. */
  readonly id: string
  readonly fields: readonly DescribedField[]
  /** The fields that make up the name of a record. */
  readonly titles: readonly string[]
  /** The references to records that the key may read; those to users are not among them. */
  readonly references: readonly Reference[]
  /** The status or stage field. */
  readonly state: string | undefined
  readonly createFields: readonly DescribedField[]
  readonly editableFields: readonly DescribedField[]
  /** The operation with this verb, if there is one and the key allows it. */
  operation(verb: Verb): Operation | undefined
}

const ALL: readonly Operation[] = OPERATIONS

export const operationOf = (type: string, verb: Verb): Operation | undefined => ALL.find((one) => one.record.name === type && one.verb === verb)

export function inputsOf({ input }: Operation): { readonly names: readonly string[]; readonly required: readonly string[] } {
  const { properties = {}, required = [] } = input as { properties?: object; required?: readonly string[] }
  return { names: Object.keys(properties), required }
}

/** Undefined where the key may not read the type, or the workspace has no such object. */
export function schemaOf({ description, may }: Pick<Session, 'description' | 'may'>, type: string, objectName?: string): RecordSchema | undefined {
  const described = description.RecordTypes.find(({ Name }) => Name === type)
  if (!described) return undefined
  const contract = recordType(type)
  const known = objectName === undefined ? described.Fields : fieldsOfObject(description, objectName, described.Fields)
  if (!known) return undefined
  // The id comes last.
  const fields = [...known.filter(({ Name }) => Name !== contract.id), ...known.filter(({ Name }) => Name === contract.id)]
  const creation = operationOf(type, objectName === undefined ? 'create' : 'createCustom')
  const editableFields = fields.filter(({ Writable }) => Writable)
  return {
    recordType: type,
    objectName,
    path: objectName === undefined ? [contract.plural] : ['objects', objectName],
    one: objectName ?? type.toLowerCase(),
    many: objectName === undefined ? contract.plural : `${objectName} records`,
    title: objectName ?? contract.plural.charAt(0).toUpperCase() + contract.plural.slice(1),
    summary: described.Summary,
    id: contract.id,
    fields,
    titles: objectName === undefined ? titlesOf(fields, contract.state) : fields.flatMap(({ Name, Type }) => (Type === 'longText' ? [Name] : [])).slice(0, 1),
    references: objectName === undefined ? referencesOf({ description, may }, fields) : [],
    state: contract.state ?? fields.find(({ Type }) => Type === 'choice')?.Name,
    createFields:
      objectName === undefined
        ? creation
          ? createFieldsOf(creation, editableFields)
          : []
        : editableFields.filter(({ Name }) => !Object.hasOwn(contract.fields, Name)),
    editableFields,
    operation(verb) {
      const found = operationOf(type, verb)
      return found && may(found.id) ? found : undefined
    },
  }
}

/** First names, which some types do not require, belong to the name too. */
function titlesOf(fields: readonly DescribedField[], state: string | undefined): string[] {
  return fields.filter(({ Name, Type, Required }) => Type === 'text' && (Required || Name === 'FirstName') && Name !== state).map(({ Name }) => Name)
}

function referencesOf({ description, may }: Pick<Session, 'description' | 'may'>, fields: readonly DescribedField[]): Reference[] {
  return fields.flatMap((field) => {
    const target = description.RecordTypes.find(({ Name }) => Name === field.RefersTo)
    if (!target || isUser(field) || !may(operationOf(target.Name, 'getMany')?.id ?? '')) return []
    const { plural, id, state } = recordType(target.Name)
    const titles = titlesOf(target.Fields, state)
    return [{ field: field.Name, name: nameBehind(field.Name), recordType: target.Name, path: [plural], id, titles }]
  })
}

export function useRecordSchema(type: string, objectName?: string): RecordSchema | undefined {
  const { description, may } = useSession()
  return useMemo(() => schemaOf({ description, may }, type, objectName), [description, may, type, objectName])
}

/** The fields of the create form: those of the input, and those that the workspace adds. Without an owner the record is the caller's. */
function createFieldsOf(creation: Operation, editableFields: readonly DescribedField[]): readonly DescribedField[] {
  const { names, required } = inputsOf(creation)
  const known = creation.record.fields
  return editableFields
    .filter(({ Name }) => names.includes(Name) || !Object.hasOwn(known, Name))
    .map((field) => ({
      ...field,
      Required: required.includes(field.Name) || (field.Required && field.Name !== 'OwnerID' && known[field.Name]?.defaultValue === undefined),
    }))
}

/** The fields of a custom object and the common fields. */
function fieldsOfObject({ CustomObjects }: Description, name: string, common: readonly DescribedField[]): DescribedField[] | undefined {
  const object = CustomObjects.find(({ ObjectName }) => ObjectName === name)
  if (!object) return undefined
  const own = object.Fields.map((field) => ({ ...field, Type: CUSTOM_TYPES[field.Type as CustomType] ?? field.Type }))
  const shared = common.filter(({ Name }) => Name !== 'ObjectName' && Name !== 'Values')
  // The field that names a record comes first.
  const title = own.findIndex(({ Type }) => Type === 'longText')
  return [...own.splice(Math.max(0, title), 1), ...own, ...shared]
}

/** The name of a record for people, or the end of its id. */
export function nameOf(schema: Pick<RecordSchema, 'titles' | 'id'>, row: Row): string {
  const name = schema.titles
    .map((field) => row[field] ?? '')
    .join(' ')
    .trim()
  return name === '' ? `…${String(row[schema.id] ?? '').slice(-6)}` : shownText(name)
}

/** The labels of the fields by their names. */
export const labelsOf = (schema: Pick<RecordSchema, 'fields'>): { readonly [field: string]: string } =>
  Object.fromEntries(schema.fields.map(({ Name, Label }) => [Name, Label]))

/** Those of the fields that people need most, in the order in which they need them; all where nothing is known of the type. */
export function commonOf(schema: RecordSchema): readonly string[] {
  const known = COMMON_FIELDS[schema.recordType]?.filter((name) => schema.fields.some(({ Name }) => Name === name)) ?? []
  return known.length > 0 ? known : schema.fields.map(({ Name }) => Name)
}

/** The default columns: the common fields, without ids, revisions, JSON and long texts. */
export function columnsOf(schema: RecordSchema): string[] {
  return commonOf(schema)
    .flatMap((name) => schema.fields.filter(({ Name }) => Name === name))
    .filter(({ Name, Type }) => isShownByDefault(schema, Name, Type))
    .map(({ Name }) => Name)
}

/** The columns of a view, or the default ones where it names none that the records have. */
export function columnsShown(schema: RecordSchema, chosen: readonly string[] | undefined): string[] {
  const known = chosen?.filter((name) => schema.fields.some(({ Name }) => Name === name))
  return known && known.length > 0 ? [...new Set(known)] : columnsOf(schema)
}

function isShownByDefault(schema: RecordSchema, name: string, type: string): boolean {
  if ([schema.id, 'UpdatedDate', 'Revision'].includes(name) || type === 'json') return false
  return schema.objectName !== undefined || type !== 'longText'
}
