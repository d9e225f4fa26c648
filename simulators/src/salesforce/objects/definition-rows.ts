import type { Org } from '../org.ts'
import { makeId } from '../records/ids.ts'
import type { Row } from '../records/table.ts'
import type { Field } from './fields.ts'
import type { SObject } from './objects.ts'

/** The records of the objects that describe the schema: EntityDefinition, FieldDefinition, CustomObject and CustomField. */
export function virtualRows(org: Org, { name }: SObject): Row[] {
  const objects = org.schema.all().filter((object) => !object.virtual)
  switch (name) {
    case 'EntityDefinition':
      return objects.map(objectRow)
    case 'FieldDefinition':
      return objects.flatMap((object) => org.schema.fields(object).map((field) => fieldRow(object, field)))
    case 'CustomObject':
      return objects.filter(({ custom }) => custom).map((object) => ({ Id: customObjectId(object), DeveloperName: developerName(object.name) }))
    case 'CustomField':
      return objects.flatMap((object) => org.schema.fields(object).flatMap((field) => (isDefined(field) ? [customFieldRow(object, field)] : [])))
    default:
      return []
  }
}

export const virtualRow = (org: Org, object: SObject, durableId: string) => virtualRows(org, object).find(({ DurableId }) => DurableId === durableId)

/** Whether a field was defined by a user, rather than created with its object. */
const isDefined = ({ custom, name }: Field) => custom && name.endsWith('__c')

export const developerName = (name: string) => name.replace(/__c$/, '')

/** The ids of definitions are hashes of their names, since they have no table. */
function idOf(prefix: string, name: string): string {
  let number = 7
  for (const char of name.toLowerCase()) number = (number * 31 + char.charCodeAt(0)) % 62 ** 8
  return makeId(prefix, number)
}

export const customObjectId = ({ name }: SObject) => idOf('01I', name)
export const customFieldId = (object: SObject, field: Field) => idOf('00N', `${object.name}.${field.name}`)
const durableId = (object: SObject) => (object.custom ? customObjectId(object) : object.name)

function objectRow(object: SObject): Row {
  return {
    Id: '000000000000000AAA',
    DurableId: durableId(object),
    QualifiedApiName: object.name,
    DeveloperName: developerName(object.name),
    Label: object.label,
    PluralLabel: object.labelPlural,
    KeyPrefix: object.keyPrefix,
    IsCustomizable: true,
    IsCustomSetting: false,
    IsQueryable: true,
  }
}

function fieldRow(object: SObject, field: Field): Row {
  return {
    Id: '000000000000000AAA',
    DurableId: `${durableId(object)}.${isDefined(field) ? customFieldId(object, field).slice(0, 15) : field.name}`,
    QualifiedApiName: field.name,
    DeveloperName: developerName(field.name),
    EntityDefinitionId: durableId(object),
    Label: field.label,
    DataType: dataTypeOf(field),
    Length: field.length,
    Precision: field.precision,
    Scale: field.scale,
    IsNillable: field.nillable,
    IsCalculated: false,
    IsIndexed: field.externalId || field.idLookup,
  }
}

function dataTypeOf({ type, length, precision, scale, referenceTo }: Field): string {
  if (type === 'string') return `Text(${length})`
  if (type === 'textarea') return length > 255 ? `Long Text Area(${length})` : 'Text Area(255)'
  if (type === 'double') return `Number(${precision - scale}, ${scale})`
  if (type === 'currency') return `Currency(${precision - scale}, ${scale})`
  if (type === 'reference') return `Lookup(${referenceTo.join(',')})`
  return { boolean: 'Checkbox', datetime: 'Date/Time', date: 'Date', picklist: 'Picklist', id: 'Id' }[type as string] ?? type
}

function customFieldRow(object: SObject, field: Field): Row {
  return {
    Id: customFieldId(object, field),
    DeveloperName: developerName(field.name),
    TableEnumOrId: durableId(object),
    EntityDefinitionId: durableId(object),
    FullName: `${object.name}.${field.name}`,
    Metadata: JSON.stringify({ label: field.label, type: dataTypeOf(field).replace(/\(.*/, ''), required: !field.nillable, externalId: field.externalId }),
  }
}
