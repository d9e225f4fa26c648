import { CrmError } from '../../contract/errors.ts'
import { FAMILIES, FIELD_KINDS, type Field, type FieldKind } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { fold } from '../../contract/names.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { CUSTOM_TYPES } from '../../contract/records/custom-object.ts'
import type { FieldLimits } from '../../platforms/platform.ts'
import { definitionsFor } from '../call/definitions.ts'
import { typeOn } from '../call/extension.ts'
import { unknownName } from '../call/schemas.ts'
import type { Context } from '../call/types.ts'
import type { Settings } from '../service.ts'

/** Fields with type, label, allowed values and filter operators, and the objects the workspace has defined. */
export async function describe({ service, caller, binding, input }: Context): Promise<unknown> {
  const { platform } = binding
  const types = [...new Set(OPERATIONS.map(({ record }) => record as RecordType))].filter(({ childOf }) => !childOf)
  const name = input.RecordType as string | undefined
  const wanted = name === undefined ? types : types.filter((type) => fold(type.name) === fold(name).replaceAll('_', ''))
  if (wanted.length === 0) {
    const fault = unknownName(
      'RecordType',
      name ?? '',
      types.map(({ name }) => name),
      { what: 'record type' },
    )
    throw new CrmError('invalid_input', `Describe: ${fault.message}`, { errors: [fault] })
  }
  return {
    Platform: platform.name,
    RecordTypes: wanted.map((type) => ({
      Name: type.name,
      Summary: type.summary,
      IDField: type.id,
      Fields: Object.entries(typeOn(platform, type).fields).flatMap(([name, field]) =>
        field.access === 'secret'
          ? []
          : [
              {
                Name: name,
                Type: field.kind,
                Label: field.label,
                Description: descriptionOf(field, platform.supports.fields[type.name]?.[name], platform.name),
                Required: field.required || field.insisted === true,
                Writable: field.access === 'write' && field.absent === undefined && !platform.supports.fields[type.name]?.[name]?.readOnly,
                MaxLength: longest(field, platform.supports.fields[type.name]?.[name]),
                AllowedValues: service.settings.allowedValues[type.name]?.[name] ?? field.closed ?? null,
                SuggestedValues: field.suggested ?? null,
                RefersTo: field.refers ?? null,
                Unique: field.unique ?? platform.supports.fields[type.name]?.[name]?.unique ?? false,
                Own: field.own ?? false,
                Operators: field.absent === undefined ? operatorsOf(field.kind) : [],
              },
            ],
      ),
      Operations: OPERATIONS.filter(({ record }) => record.name === type.name).map(({ id }) => id),
      ...closedStates(type, service.settings),
    })),
    CustomObjects: wanted.some(({ userDefined }) => userDefined) ? await customObjects() : [],
  }

  async function customObjects() {
    const objects = new Map<string, unknown[]>()
    for (const { ObjectName, FieldName, Type, Label, Values, RefersTo, Retired = false } of await definitionsFor(binding, caller.workspace, undefined)) {
      const fields = objects.get(ObjectName) ?? []
      fields.push({
        Name: FieldName,
        Type,
        Label,
        Description: null,
        Required: false,
        Writable: !Retired,
        MaxLength: Type === 'String' ? LIMITS.longText : null,
        AllowedValues: Values ?? null,
        SuggestedValues: null,
        RefersTo: RefersTo ?? null,
        Unique: false,
        Own: true,
        Operators: operatorsOf(CUSTOM_TYPES[Type]),
        Retired,
      })
      objects.set(ObjectName, fields)
    }
    return [...objects].map(([ObjectName, Fields]) => ({ ObjectName, Fields }))
  }
}

function closedStates({ amount, queued }: RecordType, { wonStages, lostStages, closedStatuses }: Settings) {
  if (amount) return { ClosedStates: { Won: wonStages, Lost: lostStages } }
  return queued ? { ClosedStates: { Closed: closedStatuses } } : {}
}

function descriptionOf({ description, absent, extra, own }: Field, { decimals, digits, remark }: FieldLimits = {}, platform: string): string | null {
  if (absent !== undefined) return `${absent} has no place for it.`
  const said = [
    description ?? (own ? DEFINED : extra ? OF_ACCOUNT : undefined),
    decimals === undefined ? undefined : `${platform} stores ${decimals === 0 ? 'whole numbers' : `${decimals} decimals`}.`,
    digits === undefined ? undefined : `${platform} stores ${digits} digits.`,
    remark,
  ].filter((one) => one !== undefined)
  return said.length > 0 ? said.join(' ') : null
}

const OF_ACCOUNT = 'A field of this account.'
const DEFINED = 'A field that this workspace has defined.'

/** The longest text that both the contract and the platform accept. A limit in bytes counts as one in characters, since no text has fewer bytes. */
function longest({ schema }: Field, { max, maxBytes }: FieldLimits = {}): number | null {
  const { type, maxLength } = schema as { type?: string; maxLength?: number }
  const all = type === 'string' ? [maxLength, max, maxBytes].filter((one) => one !== undefined) : []
  return all.length > 0 ? Math.min(...all) : null
}

function operatorsOf(kind: FieldKind): readonly string[] {
  const family = FIELD_KINDS[kind]
  return family ? FAMILIES[family].operators : []
}
