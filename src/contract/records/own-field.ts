import { Type } from 'typebox'
import { FIELD_KINDS, type FieldKind, field } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { operation } from '../operation.ts'
import { record } from '../record.ts'
import { changed } from '../shapes.ts'
import { CHOICE_VALUES, NAME } from './custom-object.ts'
import { EXTENSIBLE } from './extensible.ts'
import { User } from './user.ts'

/** The kinds of fields by the names that definitions have for them: an id is there to refer to a record. */
export const OWN_KINDS = Object.fromEntries((Object.keys(FIELD_KINDS) as FieldKind[]).map((kind) => [kind === 'id' ? 'reference' : kind, kind])) as Readonly<
  Record<OwnKind, FieldKind>
>

export type OwnKind = Exclude<FieldKind, 'id'> | 'reference'

const EXTENSIBLE_NAMES = EXTENSIBLE.map(({ name }) => name)
const KIND_NAMES = Object.keys(OWN_KINDS) as OwnKind[]

/** A field that a workspace has added to a record type; the whole workspace shares it. */
export const OwnField = record({
  name: 'OwnField',
  plural: 'ownFields',
  id: 'FieldID',
  summary: 'A field that the workspace has added to a record type.',
  names: ['Label'],
  inStore: true,
  owned: false,
  revised: false,
  indexed: [],
  fields: {
    RecordType: field.oneOf(EXTENSIBLE_NAMES, { label: 'Record type', required: true, access: 'create' }),
    FieldName: field.text({ label: 'Field name', required: true, access: 'create', max: LIMITS.name }),
    Kind: field.oneOf(KIND_NAMES, { label: 'Kind', description: 'What the field holds. It cannot be changed.', required: true }),
    Label: field.text({ label: 'Label', description: 'What people read; made of the name by default.', required: true }),
    Values: field.json(CHOICE_VALUES, { label: 'Values', description: 'The only values of a choice; any are accepted where there are none.' }),
    RefersTo: field.oneOf([...EXTENSIBLE_NAMES, User.name], { label: 'Refers to', description: 'The record type that a reference points to.' }),
    Required: field.boolean({
      label: 'Required',
      description: 'Whether new records need a value, and no change may clear it.',
      required: true,
      defaultValue: false,
    }),
    Unique: field.boolean({ label: 'Unique', description: 'Whether no two records may have the same value.', required: true, defaultValue: false }),
    Indexed: field.boolean({
      label: 'Indexed',
      description: 'Whether filters and orders by it are quick among many records. Unique fields and references always are.',
      required: true,
      defaultValue: false,
    }),
    Retired: field.boolean({
      label: 'Retired',
      description: 'A retired field is no longer there; records keep its values for the day it is defined again.',
      required: true,
      access: 'read',
      defaultValue: false,
    }),
  },
})

const named = {
  RecordType: OwnField.fields.RecordType.schema as typeof OwnField.stored.properties.RecordType,
  FieldName: Type.Unsafe<string>({ ...NAME, description: 'The name of the field, which cannot be changed.' }),
}

const draft = OwnField.draft('RecordType', 'FieldName', 'Kind', 'Label', 'Values', 'RefersTo', 'Required', 'Unique', 'Indexed')

export const defineField = operation({
  name: 'Define Field',
  method: 'fields.define',
  record: OwnField,
  verb: 'defineField',
  effect: 'create',
  summary: 'Adds a field to a record type: from then on it is written, filtered, ordered, answered and described like any other.',
  description:
    'On the connector’s own stores; the fields of a CRM account are defined there, and found by themselves. A retired field comes back with its values when it is defined again with the same Kind.',
  input: Type.Object(
    { ...draft.properties, ...named, Label: Type.Optional(Type.Unsafe<string>(OwnField.fields.Label.schema)) },
    { additionalProperties: false },
  ),
  output: OwnField.stored,
  errors: ['conflict'],
  example: { RecordType: 'Lead', FieldName: 'Score', Kind: 'integer', Label: 'Score', Indexed: true },
  extension: true,
  administration: true,
})

export const updateOwnField = operation({
  name: 'Update Field',
  method: 'fields.update',
  record: OwnField,
  verb: 'updateOwnField',
  effect: 'update',
  summary: 'Changes the Label, the Values of a choice, or whether a field of one’s own is Required or Unique.',
  description:
    'Records keep values that are no longer among the Values. Only an indexed field becomes Unique, and only while no two records have the same value. Kind, RefersTo and Indexed stay as they were defined.',
  input: Type.Object({ ...named, FieldsToUpdate: OwnField.patch }, { additionalProperties: false }),
  output: changed(OwnField.stored),
  errors: ['not_found', 'conflict'],
  example: { RecordType: 'Lead', FieldName: 'Score', FieldsToUpdate: { Label: 'Lead score' } },
  extension: true,
  administration: true,
})

export const retireField = operation({
  name: 'Retire Field',
  method: 'fields.retire',
  record: OwnField,
  verb: 'retireField',
  effect: 'update',
  summary: 'Takes a field of one’s own away: it is no longer written, answered or described. Records keep its values.',
  description: 'Defined again with the same Kind, it comes back with them.',
  input: Type.Object(named, { additionalProperties: false }),
  output: OwnField.stored,
  errors: ['not_found'],
  example: { RecordType: 'Lead', FieldName: 'Score' },
  extension: true,
  administration: true,
})
