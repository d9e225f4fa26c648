import { type Static, Type } from 'typebox'
import { field } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { idInput, ifRevision, manyInput, operation, pageOf } from '../operation.ts'
import { type AnyFilterValue, record } from '../record.ts'
import { changed, detailed, removed } from '../shapes.ts'

/** The types a user-defined field can have, and the kind of field each is. */
export const CUSTOM_TYPES = { String: 'longText', Number: 'number', Boolean: 'boolean', Date: 'date', DateTime: 'timestamp' } as const

export type CustomType = keyof typeof CUSTOM_TYPES
export type CustomValue = string | number | boolean | null

export const NAME = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: LIMITS.name }
const TYPE = { type: 'string', enum: Object.keys(CUSTOM_TYPES) }
const LABEL = { type: 'string', format: 'text', maxLength: LIMITS.text, minLength: 1 }
const VALUE = { type: ['string', 'number', 'boolean', 'null'] }

/** A record of an object that the workspace has defined. */
export const CustomObject = record({
  name: 'CustomObject',
  plural: 'customObjects',
  id: 'ObjectID',
  summary: 'A record of an object that the workspace itself has defined.',
  owned: true,
  revised: true,
  userDefined: 'Values',
  fields: {
    ObjectName: field.text({ label: 'Object name', required: true, access: 'create', max: LIMITS.name }),
    Values: field.json(Type.Unsafe<Record<string, CustomValue>>({ type: 'object', additionalProperties: VALUE }), {
      label: 'Values',
      required: true,
      access: 'read',
    }),
  },
})

/** The definition of a user-defined field; the whole workspace shares it. */
export const Definition = record({
  name: 'Definition',
  plural: 'definitions',
  id: 'DefinitionID',
  summary: 'The definition of one user-defined field of one object.',
  owned: false,
  revised: false,
  internalId: true,
  fields: {
    ObjectName: field.text({ label: 'Object name', required: true, access: 'create' }),
    FieldName: field.text({ label: 'Field name', required: true, access: 'create' }),
    Type: field.oneOf(Object.keys(CUSTOM_TYPES) as CustomType[], { label: 'Type', required: true, access: 'create' }),
    Label: field.text({ label: 'Label', required: true }),
    Retired: field.boolean({
      label: 'Retired',
      description: 'A retired field keeps the values it has, and takes no new ones.',
      defaultValue: false,
    }),
  },
})

export interface FieldDefinition {
  readonly Type: CustomType
  readonly Label: string
  readonly Retired?: true
}

/** A definition as create takes it: complete for a new field, `Value` alone for one already defined. */
export interface FieldDraft {
  readonly Type?: CustomType
  readonly Label?: string
  readonly Value?: CustomValue
}

const drafts = Type.Unsafe<Record<string, FieldDraft>>({
  type: 'object',
  maxProperties: LIMITS.customFields,
  propertyNames: NAME,
  additionalProperties: {
    type: 'object',
    properties: { Type: TYPE, Label: LABEL, Value: { description: 'The first value, of this Type; null for none.' } },
    additionalProperties: false,
    minProperties: 1,
  },
  description: 'Field name to definition: `{ Type, Label }`, with `Value` as the first value; `{ Value }` alone for a field already defined.',
})

const definitions = Type.Unsafe<Record<string, FieldDefinition>>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { Type: TYPE, Label: LABEL, Retired: { type: 'boolean', enum: [true], description: 'Only where the field is retired.' } },
    required: ['Type', 'Label'],
  },
})

const stored = detailed(CustomObject.stored, { Fields: definitions })

export const createCustomObject = operation({
  name: 'Create Custom Object',
  method: 'customObjects.create',
  record: CustomObject,
  verb: 'createCustom',
  effect: 'create',
  summary: 'Stores a record of the object called ObjectName and defines the fields it does not have yet.',
  input: Type.Object(
    { ObjectName: Type.Unsafe<string>({ ...NAME, description: 'The name of the object, the same for all of its records.' }), Fields: drafts },
    { additionalProperties: false },
  ),
  output: stored,
  errors: ['conflict'],
  example: {
    ObjectName: 'Boat',
    Fields: { HullLength: { Type: 'Number', Label: 'Hull length', Value: 7.5 }, Harbour: { Type: 'String', Label: 'Home harbour', Value: 'Kiel' } },
  },
})

export const getCustomObject = operation({
  name: 'Get Custom Object',
  method: 'customObjects.get',
  record: CustomObject,
  verb: 'get',
  effect: 'read',
  summary: 'Answers with one record of a custom object: its definitions and its values.',
  input: Type.Object({ ObjectID: idInput('custom object record') }, { additionalProperties: false }),
  output: stored,
  errors: ['not_found'],
  example: { ObjectID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const getManyCustomObjects = operation({
  name: 'Get Many Custom Objects',
  method: 'customObjects.getMany',
  record: CustomObject,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the custom object records that match, page by page, newest first; user-defined fields are filtered by name.',
  input: manyInput({
    // User-defined fields differ by workspace, so their names are not typed.
    filters: Type.Unsafe<Static<typeof CustomObject.filters> & { [name: string]: AnyFilterValue }>(CustomObject.filters),
    stored: Type.Unsafe<{ [name: string]: unknown }>({}),
  }),
  output: pageOf(stored),
  example: { Filters: { ObjectName: 'Boat', HullLength: { gte: 5 } } },
})

export const updateCustomObject = operation({
  name: 'Update Custom Object',
  method: 'customObjects.update',
  record: CustomObject,
  verb: 'update',
  effect: 'update',
  summary: 'Changes only the named user-defined fields (or OwnerID) of a custom object record.',
  input: Type.Object(
    {
      ObjectID: idInput('custom object record'),
      FieldsToUpdate: Type.Unsafe<Record<string, CustomValue>>({
        type: 'object',
        properties: { OwnerID: CustomObject.fields.OwnerID.schema },
        additionalProperties: true,
        minProperties: 1,
        title: 'CustomObjectChanges',
        description: 'User-defined field name to new value; null clears it.',
      }),
      IfRevision: ifRevision,
    },
    { additionalProperties: false },
  ),
  output: changed(stored),
  errors: ['not_found', 'conflict'],
  example: { ObjectID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { HullLength: 8, Harbour: null } },
})

export const deleteCustomObject = operation({
  name: 'Delete Custom Object',
  method: 'customObjects.delete',
  record: CustomObject,
  verb: 'delete',
  effect: 'delete',
  summary: 'Removes one record of a custom object; its definitions stay.',
  input: Type.Object({ ObjectID: idInput('custom object record'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removed('ObjectID'),
  errors: ['not_found', 'conflict'],
  example: { ObjectID: '0k6v2m8q4d9x1c7b5n3t' },
})
