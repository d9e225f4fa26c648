import { type Static, Type } from 'typebox'
import { field } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { asOf, datedPageOf, fresh, idInput, ifRevision, manyInput, operation } from '../operation.ts'
import { type AnyFilterValue, record } from '../record.ts'
import { changed, detailed, removed, upserted } from '../shapes.ts'
import { EXTENSIBLE } from './extensible.ts'

/** The types a user-defined field can have, and the kind of field each is. */
export const CUSTOM_TYPES = {
  String: 'longText',
  Number: 'number',
  Boolean: 'boolean',
  Date: 'date',
  DateTime: 'timestamp',
  Choice: 'choice',
  Choices: 'choices',
  Reference: 'id',
} as const

export type CustomType = keyof typeof CUSTOM_TYPES
export type CustomValue = string | number | boolean | null | readonly string[]

/** The record types that a reference of a custom object can point to: another record of a custom object is one of them. */
export const REFERRED = [...EXTENSIBLE.map(({ name }) => name), 'User', 'CustomObject']

export const NAME = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: LIMITS.name }
const TYPE = { type: 'string', enum: Object.keys(CUSTOM_TYPES) }
const LABEL = { type: 'string', format: 'text', maxLength: LIMITS.text, minLength: 1 }
const VALUE = { type: ['string', 'number', 'boolean', 'null', 'array'], items: { type: 'string' } }

/** The only values that a choice accepts. */
export const CHOICE_VALUES = Type.Unsafe<readonly string[]>({
  type: 'array',
  items: { type: 'string', format: 'text', minLength: 1, maxLength: LIMITS.text, pattern: '\\S' },
  minItems: 1,
  maxItems: LIMITS.list,
  uniqueItems: true,
})
const VALUES_ABOUT = 'The only values of a choice; any are accepted where there are none.'
const REFERS_TO = { type: 'string', enum: REFERRED, description: 'The record type that a reference points to.' }

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
  names: ['Label'],
  owned: false,
  revised: false,
  internalId: true,
  fields: {
    ObjectName: field.text({ label: 'Object name', required: true, access: 'create' }),
    FieldName: field.text({ label: 'Field name', required: true, access: 'create' }),
    Type: field.oneOf(Object.keys(CUSTOM_TYPES) as CustomType[], { label: 'Type', required: true, access: 'create' }),
    Label: field.text({ label: 'Label', required: true }),
    Values: field.json(CHOICE_VALUES, { label: 'Values', description: VALUES_ABOUT }),
    RefersTo: field.oneOf(REFERRED, { label: 'Refers to', description: REFERS_TO.description, access: 'create' }),
    Retired: field.boolean({
      label: 'Retired',
      description: 'A retired field keeps the values it has, and takes no new ones.',
    }),
  },
})

export interface FieldDefinition {
  readonly Type: CustomType
  readonly Label: string
  /** The only values of a Choice or Choices; any are accepted where there are none. */
  readonly Values?: readonly string[]
  /** The record type that a Reference points to; undefined where a CRM has it point to something that is none of ours. */
  readonly RefersTo?: string
  readonly Retired?: true
}

/** A definition as create takes it: complete for a new field, `Value` alone for one already defined. */
export interface FieldDraft {
  readonly Type?: CustomType
  readonly Label?: string
  readonly Values?: readonly string[]
  readonly RefersTo?: string
  readonly Value?: CustomValue
}

const drafts = Type.Unsafe<Record<string, FieldDraft>>({
  type: 'object',
  maxProperties: LIMITS.customFields,
  propertyNames: NAME,
  additionalProperties: {
    type: 'object',
    properties: {
      Type: TYPE,
      Label: LABEL,
      Values: CHOICE_VALUES,
      // Which record types there are is checked with the Type: all of their names would be in every list of tools.
      RefersTo: { type: 'string', format: 'text', maxLength: LIMITS.name },
      Value: { description: 'The first value, of this Type; null for none.' },
    },
    additionalProperties: false,
    minProperties: 1,
  },
  description:
    'Field name to definition: `{ Type, Label }`, with `Values` as the values of a Choice or Choices, `RefersTo` as the record type that a Reference points to, and `Value` as the first value; `{ Value }` alone for a field already defined.',
})

const definitions = Type.Unsafe<Record<string, FieldDefinition>>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      Type: TYPE,
      Label: LABEL,
      Values: { type: 'array', items: { type: 'string' }, description: 'Only where a choice has no other values.' },
      RefersTo: { ...REFERS_TO, description: 'Only of a reference.' },
      Retired: { type: 'boolean', enum: [true], description: 'Only where the field is retired.' },
    },
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
  input: Type.Object({ ObjectID: idInput('custom object record'), ...fresh }, { additionalProperties: false }),
  output: detailed(stored, asOf),
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
  output: datedPageOf(stored),
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

export const upsertCustomObject = operation({
  name: 'Upsert Custom Object',
  method: 'customObjects.upsert',
  record: CustomObject,
  verb: 'upsertCustom',
  effect: 'update',
  summary: 'Updates the record of a custom object that matches, or creates it where there is none; new fields are defined as by Create Custom Object.',
  description: 'Calls at the same time leave one record. Where several match, it is refused with `conflict` and their ids.',
  input: Type.Object(
    {
      ObjectName: Type.Unsafe<string>({ ...NAME, description: 'The name of the object, the same for all of its records.' }),
      Fields: drafts,
      MatchBy: Type.Optional(
        Type.Array(Type.Unsafe<string>(NAME), {
          minItems: 1,
          maxItems: 10,
          uniqueItems: true,
          description: 'The fields by whose values the record is looked for; ExternalID by default.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: upserted(stored),
  errors: ['conflict'],
  example: {
    ObjectName: 'Boat',
    Fields: { Registration: { Type: 'String', Label: 'Registration', Value: 'KI-4711' }, HullLength: { Type: 'Number', Label: 'Hull length', Value: 7.5 } },
    MatchBy: ['Registration'],
  },
  extension: true,
})
