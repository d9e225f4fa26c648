import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { changed, detailed } from '../shapes.ts'
import { Definition, NAME } from './custom-object.ts'

const named = {
  ObjectName: Type.Unsafe<string>({ ...NAME, description: 'The name of the object.' }),
  FieldName: Type.Unsafe<string>({ ...NAME, description: 'The name of the field, which cannot be changed.' }),
}

export const updateCustomField = operation({
  name: 'Update Custom Field',
  method: 'customFields.update',
  record: Definition,
  verb: 'updateField',
  effect: 'update',
  summary: 'Changes the label of a user-defined field, retires the field or brings it back.',
  description:
    'A retired field keeps the values it has: they are read, searched by and cleared as before, but no new one is accepted. It no longer counts towards the limits of fields; as many again may be retired.',
  input: Type.Object({ ...named, FieldsToUpdate: Definition.patch }, { additionalProperties: false }),
  output: changed(detailed(Definition.stored, { Retired: Type.Boolean() })),
  errors: ['not_found'],
  example: { ObjectName: 'Boat', FieldName: 'Berth', FieldsToUpdate: { Retired: true } },
  extension: true,
  administration: true,
})

export const deleteCustomField = operation({
  name: 'Delete Custom Field',
  method: 'customFields.delete',
  record: Definition,
  verb: 'deleteField',
  effect: 'delete',
  summary: 'Deletes the definition of a user-defined field that no record has a value in; with its last field an object is gone.',
  description: 'Refused with `conflict` while a record has a value in it: clear the values, or retire the field with `update_custom_field`.',
  input: Type.Object(named, { additionalProperties: false }),
  output: Type.Object({ ObjectName: Type.String(), FieldName: Type.String(), Deleted: Type.Literal(true) }),
  errors: ['not_found', 'conflict'],
  example: { ObjectName: 'Boat', FieldName: 'Berth' },
  extension: true,
  administration: true,
})
