import { CUSTOM_TYPES } from '../../contract/custom-object.ts'
import { CrmError } from '../../contract/errors.ts'
import { FAMILIES, FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { fold } from '../../contract/names.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { allDefinitions } from '../definitions.ts'
import { unknownName } from '../schemas.ts'
import { platformOf } from '../service.ts'
import type { Context } from './context.ts'

/** Fields with type, label, allowed values and filter operators, and the objects the workspace has defined. */
export async function describe({ service, caller, input }: Context): Promise<unknown> {
  const platform = platformOf(service, caller.workspace)
  const types = [...new Set(OPERATIONS.map(({ record }) => record as RecordType))].filter(({ hangsOn }) => !hangsOn)
  const asked = input.RecordType as string | undefined
  const wanted = asked === undefined ? types : types.filter(({ name }) => fold(name) === fold(asked).replaceAll('_', ''))
  if (wanted.length === 0) {
    const fault = unknownName(
      'RecordType',
      asked ?? '',
      types.map(({ name }) => name),
      'record type',
    )
    throw new CrmError('invalid_input', `Describe: ${fault.message}`, { errors: [fault] })
  }
  const closed = (type: string, field: string) => service.settings.allowedValues[type]?.[field] ?? platform.supports.closed[type]?.[field]
  return {
    Platform: platform.name,
    RecordTypes: wanted.map((type) => ({
      Name: type.name,
      Summary: type.summary,
      IDField: type.id,
      Fields: Object.entries(type.fields).flatMap(([name, field]) =>
        field.access === 'secret'
          ? []
          : [
              {
                Name: name,
                Type: field.kind,
                Label: field.label,
                Description: field.description ?? null,
                Required: field.required,
                Writable: field.access === 'write',
                MaxLength: (field.schema as { maxLength?: number }).maxLength ?? null,
                AllowedValues: closed(type.name, name) ?? field.closed ?? null,
                SuggestedValues: field.suggested ?? null,
                Operators: operatorsOf(field.kind),
              },
            ],
      ),
      Operations: OPERATIONS.filter(({ record }) => record.name === type.name).map(({ id }) => id),
    })),
    CustomObjects: wanted.some(({ userDefined }) => userDefined) ? await customObjects() : [],
  }

  async function customObjects() {
    const objects = new Map<string, unknown[]>()
    for (const { ObjectName, FieldName, Type, Label } of await allDefinitions(service, caller.workspace)) {
      const fields = objects.get(ObjectName) ?? []
      fields.push({
        Name: FieldName,
        Type,
        Label,
        Description: null,
        Required: false,
        Writable: true,
        MaxLength: Type === 'String' ? LIMITS.longText : null,
        AllowedValues: null,
        SuggestedValues: null,
        Operators: operatorsOf(CUSTOM_TYPES[Type]),
      })
      objects.set(ObjectName, fields)
    }
    return [...objects].map(([ObjectName, Fields]) => ({ ObjectName, Fields }))
  }
}

function operatorsOf(kind: FieldKind): readonly string[] {
  const family = FIELD_KINDS[kind]
  return family ? FAMILIES[family].operators : []
}
