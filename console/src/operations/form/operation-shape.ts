import { FIELD_KINDS, type FieldKind, type Operation } from 'crm-connector/contract'
import type { DescribedField, Description } from '../../session/session.ts'
import { type FilterField, type FiltersShape, type Member, type ObjectShape, type Schema, type Shape, shapeOf } from './shape.ts'

/** The form of an operation: its schema, with the fields and values that the configuration and the workspace add. */
export function operationShape({ verb, record, input }: Operation, { RecordTypes, CustomObjects }: Description): ObjectShape {
  const shape = shapeOf(input as Schema) as ObjectShape
  const fields = RecordTypes.find(({ Name }) => Name === record.name)?.Fields ?? []
  const known = new Map(fields.map((field) => [field.Name, field]))
  const more = record.userDefined === undefined ? fields.filter(({ Name }) => !Object.hasOwn(record.fields, Name)) : []
  const writable = more.filter(({ Writable }) => Writable).map(memberOf)
  const userDefinedFields = record.userDefined === undefined ? [] : uniqueFields(CustomObjects.flatMap(({ Fields }) => Fields))

  const extended = (one: Shape, added: readonly Member[]): Shape =>
    one.kind === 'object' ? { ...one, members: [...one.members, ...added].map((member) => withSuggestions(member, known.get(member.name))) } : one
  const names = [...Object.keys(record.fields).filter((name) => record.fields[name]?.access !== 'secret'), ...more.map(({ Name }) => Name)]
  const refined = (member: Member): Member => {
    if (member.name === 'OrderBy' && member.shape.kind === 'value')
      return {
        ...member,
        shape: { ...member.shape, suggested: [...names, ...userDefinedFields.map(({ Name }) => Name)].flatMap((name) => [name, `${name} desc`]) },
      }
    if (['Select', 'MatchBy'].includes(member.name) && member.shape.kind === 'list' && member.shape.item.kind === 'value')
      return { ...member, shape: { ...member.shape, item: { ...member.shape.item, suggested: names } } }
    if (member.name === 'FieldsToUpdate') return { ...member, shape: withNames(extended(member.shape, writable), userDefinedFields) }
    if (member.name === 'Fields') return { ...member, shape: withNames(member.shape, userDefinedFields) }
    return member.shape.kind === 'filters' ? { ...member, shape: withFilterFields(member.shape, [...more, ...userDefinedFields], known) } : member
  }
  const required = new Set(verb === 'create' ? more.flatMap(({ Name, Required }) => (Required ? [Name] : [])) : [])
  const added = writable.map((member) => ({ ...member, required: required.has(member.name) }))
  const whole = extended(shape, verb === 'create' || verb === 'upsert' ? added : []) as ObjectShape
  return { ...whole, members: whole.members.map(refined) }
}

/** Fields of the same name in several objects are offered once. */
const uniqueFields = (fields: readonly DescribedField[]) => [...new Map(fields.map((field) => [field.Name, field])).values()]

const withNames = (shape: Shape, userDefinedFields: readonly DescribedField[]): Shape =>
  shape.kind === 'object' && shape.open ? { ...shape, offered: userDefinedFields.map(({ Name }) => Name) } : shape

function memberOf({ Name, Type, Label, Description, Required, MaxLength, AllowedValues }: DescribedField): Member {
  const about = [Description ?? `${Label}.`, MaxLength && `At most ${MaxLength.toLocaleString('en')} characters.`].filter(Boolean).join(' ')
  const value = { kind: 'value', type: Type, nullable: !Required } as const
  const item = { ...value, type: 'text', nullable: false, ...(AllowedValues && { suggested: AllowedValues }) }
  return { name: Name, required: false, about, shape: Type === 'choices' ? { kind: 'list', item } : value }
}

/** Adds the allowed or suggested values of the field. */
function withSuggestions(member: Member, field: DescribedField | undefined): Member {
  if (!field || member.shape.kind !== 'value') return member
  const { AllowedValues, SuggestedValues } = field
  const suggested = AllowedValues ?? SuggestedValues
  return suggested && !member.shape.allowed ? { ...member, shape: { ...member.shape, suggested } } : member
}

function withFilterFields(shape: FiltersShape, more: readonly DescribedField[], known: ReadonlyMap<string, DescribedField>): FiltersShape {
  const added = more.flatMap(({ Name, Type, Label }): FilterField[] => {
    const family = FIELD_KINDS[Type as FieldKind]
    return family ? [{ name: Name, family, about: Label }] : []
  })
  const fields = [...shape.fields, ...added].map((field): FilterField => {
    const { AllowedValues, SuggestedValues } = known.get(field.name) ?? {}
    const suggested = AllowedValues ?? SuggestedValues
    return suggested ? { ...field, suggested } : field
  })
  return { ...shape, fields }
}
