import { isObject } from '../../json.ts'
import { Refusal } from '../errors.ts'
import type { Org } from '../org.ts'
import { type Field, makeField } from './fields.ts'
import { makeObject, type SObject } from './objects.ts'

/** The metadata of an object or a field, as the client sends it. */
export type Metadata = { readonly [name: string]: unknown }

const refuse = (code: string, message: string) => new Refusal(400, code, message)
const textOf = (value: unknown) => (value === undefined || value === null ? '' : String(value))
export const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value])

function checkName(name: string, of: string): void {
  const stem = name.replace(/__c$/, '')
  if (!name.endsWith('__c') || stem.length > 40 || !/^[A-Za-z](?:_?[A-Za-z0-9])*$/.test(stem)) {
    const message = `The ${of} name must begin with a letter, can only contain alphanumeric characters and underscores, and must end with __c. ${name} does not.`
    throw refuse('FIELD_INTEGRITY_EXCEPTION', message)
  }
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'

export function defineObject(org: Org, metadata: Metadata): SObject {
  const name = textOf(metadata.fullName)
  checkName(name, 'object')
  if (org.schema.object(name)) throw refuse('DUPLICATE_DEVELOPER_NAME', `This name is already in use. Pick another name: ${name}`)
  for (const required of ['label', 'pluralLabel', 'deploymentStatus', 'sharingModel']) {
    if (textOf(metadata[required]) === '') throw refuse('REQUIRED_FIELD_MISSING', `Must specify a value for CustomObject field: ${required}`)
  }
  const named = metadata.nameField
  if (!isObject(named)) throw refuse('REQUIRED_FIELD_MISSING', 'Must specify a nameField of type Text or AutoNumber')
  const custom = org.schema.all().filter((object) => object.custom).length
  const object = makeObject(
    {
      name,
      prefix: `a${DIGITS.charAt(Math.floor(custom / 36) % 36)}${DIGITS.charAt(custom % 36)}`,
      label: textOf(metadata.label),
      plural: textOf(metadata.pluralLabel),
      custom: true,
      owned: true,
    },
    [nameFieldOf(named)],
  )
  const fields = listed(metadata.fields).map((field) => fieldOf(org, object, textOf((field as Metadata).fullName), field as Metadata))
  for (const field of fields) object.fields.set(field.name.toLowerCase(), field)
  org.schema.add(object)
  return object
}

const LONGEST_FORMAT = 30
const LONGEST_AFFIXES = 20

/** `Boat-{0000}`. The text around the number is limited, too. */
function checkFormat(format: string): void {
  const affixes = format.replace(/\{0+\}/, '')
  if (affixes === format || format.length > LONGEST_FORMAT || affixes.length > LONGEST_AFFIXES) {
    throw refuse('FIELD_INTEGRITY_EXCEPTION', `The display format is invalid or longer than ${LONGEST_FORMAT} characters: ${format}`)
  }
}

function nameFieldOf(named: Metadata): Field {
  const auto = named.type === 'AutoNumber'
  if (auto) checkFormat(textOf(named.displayFormat) || '{0}')
  const label = textOf(named.label) || 'Name'
  return makeField({
    name: 'Name',
    label,
    type: 'string',
    length: 80,
    createable: !auto,
    updateable: !auto,
    nillable: !auto,
    defaultedOnCreate: true,
    idLookup: true,
    nameField: true,
    autoNumber: auto,
    defaultValue: auto ? textOf(named.displayFormat) || '{0}' : null,
  })
}

export function defineField(org: Org, fullName: string, metadata: Metadata): { readonly object: SObject; readonly field: Field } {
  const [on = '', name = ''] = fullName.split('.')
  const object = org.schema.object(on)
  if (!object || object.virtual) throw refuse('INVALID_TYPE', `Entity of type '${on}' is not supported`)
  const field = fieldOf(org, object, name, metadata)
  object.fields.set(field.name.toLowerCase(), field)
  org.schema.touch(object)
  return { object, field }
}

/** The field type of each metadata type, and the members that are required for it. */
const TYPES: { readonly [type: string]: { readonly type: Field['type']; readonly needs?: readonly string[]; readonly length?: number } } = {
  Text: { type: 'string', needs: ['length'] },
  TextArea: { type: 'textarea', length: 255 },
  LongTextArea: { type: 'textarea', needs: ['length', 'visibleLines'] },
  Html: { type: 'textarea', needs: ['length', 'visibleLines'] },
  Number: { type: 'double', needs: ['precision', 'scale'] },
  Currency: { type: 'currency', needs: ['precision', 'scale'] },
  Percent: { type: 'percent', needs: ['precision', 'scale'] },
  Checkbox: { type: 'boolean', needs: ['defaultValue'] },
  Date: { type: 'date' },
  DateTime: { type: 'datetime' },
  Email: { type: 'email', length: 80 },
  Phone: { type: 'phone', length: 40 },
  Url: { type: 'url', length: 255 },
  Picklist: { type: 'picklist', length: 255 },
  MultiselectPicklist: { type: 'multipicklist', needs: ['visibleLines'], length: 4099 },
  Lookup: { type: 'reference', needs: ['referenceTo'] },
}

/** The metadata type of a field: the first with the same field type; a text area longer than 255 is a LongTextArea. */
export function metadataType({ type, length }: Field): string | undefined {
  if (type === 'textarea' && length > 255) return 'LongTextArea'
  return Object.entries(TYPES).find(([, spec]) => spec.type === type)?.[0]
}

const RANGES: { readonly [type: string]: readonly [number, number] } = { Text: [1, 255], LongTextArea: [256, 131_072], Html: [256, 131_072] }

function fieldOf(org: Org, object: SObject, name: string, metadata: Metadata): Field {
  checkName(name, 'field')
  if (object.fields.has(name.toLowerCase()))
    throw refuse('DUPLICATE_DEVELOPER_NAME', `There is already a field named ${name.replace(/__c$/, '')} on ${object.label}.`)
  const typeName = textOf(metadata.type)
  const spec = Object.hasOwn(TYPES, typeName) ? TYPES[typeName] : undefined
  if (!spec) throw refuse('INVALID_FIELD', `'${typeName}' is not a valid value for the enum 'FieldType'`)
  if (textOf(metadata.label) === '') throw refuse('REQUIRED_FIELD_MISSING', `Must specify 'label' for a CustomField of type ${typeName}`)
  for (const needed of spec.needs ?? []) {
    if (textOf(metadata[needed]) === '') throw refuse('FIELD_INTEGRITY_EXCEPTION', `Must specify '${needed}' for a CustomField of type ${typeName}`)
  }
  const length = spec.length ?? Number(metadata.length ?? 0)
  const [least, most] = RANGES[typeName] ?? [0, spec.length ?? 255]
  if (length < least || length > most || !Number.isInteger(length)) {
    throw refuse('FIELD_INTEGRITY_EXCEPTION', `Length must be between ${least} and ${most}: ${length}`)
  }
  const precision = Number(metadata.precision ?? 0)
  const scale = Number(metadata.scale ?? 0)
  if (!(precision >= 0 && precision <= 18 && scale >= 0 && scale <= precision)) {
    throw refuse('FIELD_INTEGRITY_EXCEPTION', `Can not specify precision ${precision} and scale ${scale} for a CustomField of type ${typeName}`)
  }
  const boolean = spec.type === 'boolean'
  const required = isTrue(metadata.required)
  // Formulas are described, and have no value.
  const calculated = textOf(metadata.formula) !== ''
  return makeField({
    name,
    label: textOf(metadata.label),
    type: spec.type,
    length,
    ...(spec.needs?.includes('precision') && { precision, scale }),
    createable: !calculated,
    updateable: !calculated,
    calculated,
    nillable: !required && !boolean,
    defaultedOnCreate: boolean,
    permissionable: !required,
    custom: true,
    externalId: isTrue(metadata.externalId),
    idLookup: isTrue(metadata.externalId),
    unique: isTrue(metadata.unique),
    defaultValue: boolean ? isTrue(metadata.defaultValue) : null,
    ...(typeName.endsWith('icklist') && { picklist: valuesOf(metadata), restricted: isTrue((metadata.valueSet as Metadata | undefined)?.restricted) }),
    ...(typeName === 'Lookup' && lookupOf(org, object, name, metadata)),
  })
}

const isTrue = (value: unknown) => value === true || value === 'true'

function valuesOf(metadata: Metadata): string[] {
  const set = (metadata.valueSet as Metadata | undefined)?.valueSetDefinition as Metadata | undefined
  // The Tooling API and the Metadata API have different names for it.
  return listed(set?.value).map((value) => textOf((value as Metadata).valueName ?? (value as Metadata).fullName))
}

function lookupOf(org: Org, object: SObject, name: string, { referenceTo, relationshipName }: Metadata): Partial<Field> {
  const target = textOf(referenceTo) === object.name ? object : org.schema.object(textOf(referenceTo))
  if (!target || target.virtual)
    throw refuse('FIELD_INTEGRITY_EXCEPTION', `referenceTo value of '${textOf(referenceTo)}' does not resolve to a valid sObject type`)
  const children = textOf(relationshipName)
  return { referenceTo: [target.name], relationshipName: name.replace(/__c$/, '__r'), childRelationship: children === '' ? null : `${children}__r` }
}

/** Deletes a custom object with its records, or a custom field. */
export function undefine(org: Org, type: string, fullName: string): void {
  const [on = '', name] = fullName.split('.')
  const object = org.schema.object(on)
  const field = name === undefined ? undefined : object?.fields.get(name.toLowerCase())
  if (type === 'CustomObject' && object?.custom) {
    org.schema.remove(object)
    org.drop(object)
  } else if (type === 'CustomField' && object && field?.custom) {
    object.fields.delete(field.name.toLowerCase())
    org.schema.touch(object)
  } else throw refuse('INVALID_CROSS_REFERENCE_KEY', `In field: ${type} - no ${type} named ${fullName} found`)
}
