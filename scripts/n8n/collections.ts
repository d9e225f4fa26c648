import type { INodeProperties } from 'n8n-workflow'
import { FAMILIES, type Family, FIELD_KINDS, type Operator } from '../../src/contract/fields.ts'
import type { RecordType } from '../../src/contract/record.ts'
import { CUSTOM_TYPES, type CustomType, REFERRED } from '../../src/contract/records/custom-object.ts'
import { displayNameOf, ENTERED, locator, parameter, type Schema } from './parameters.ts'
import { heading, sorted } from './words.ts'

/** The names of the operators; the last two compare with null and take no value. */
const OPERATORS: { readonly [operator in Operator | 'isEmpty' | 'isNotEmpty']: string } = {
  contains: 'Contains',
  eq: 'Equals',
  in: 'Is Any Of',
  gte: 'Is at Least',
  lte: 'Is at Most',
  isEmpty: 'Is Empty',
  gt: 'Is Greater Than',
  lt: 'Is Less Than',
  isNotEmpty: 'Is Not Empty',
  ne: 'Not Equals',
  startsWith: 'Starts With',
}

const WITHOUT_VALUE = ['isEmpty', 'isNotEmpty']

const EMPTY_TYPE = 'Null'

/** The families of the types that a user-defined field can have. */
export const CUSTOM_FAMILIES = Object.fromEntries(Object.entries(CUSTOM_TYPES).map(([type, kind]) => [type, FIELD_KINDS[kind]])) as {
  readonly [type in CustomType]: Family
}

/** The input for a value of each family, stored under a name of its own. */
function entryOf(family: Family): INodeProperties {
  return { displayName: 'Value', name: `${family}Value`, ...ENTERED[family], ...(family === 'boolean' && { description: 'Whether it is true or false' }) }
}

const operatorsOf = (family: Family) => [...FAMILIES[family].operators, ...WITHOUT_VALUE] as (keyof typeof OPERATORS)[]

/** The operator and value, shown for the family of the chosen field. */
function comparisons(by: string, choices: { readonly [family in Family]?: readonly string[] }): INodeProperties[] {
  const families = Object.entries(choices) as [Family, string[]][]
  return [
    ...families.map(([family, chosen]): INodeProperties => {
      const operators = operatorsOf(family)
      const options = Object.entries(OPERATORS).flatMap(([value, name]) => (operators.includes(value as Operator) ? [{ name, value }] : []))
      return { displayName: 'Operator', name: 'operator', type: 'options', default: 'eq', options, displayOptions: { show: { [by]: chosen } } }
    }),
    ...families.map(([family, chosen]): INodeProperties => {
      const operator = operatorsOf(family).filter((one) => one !== 'in' && !WITHOUT_VALUE.includes(one))
      return { ...entryOf(family), displayOptions: { show: { [by]: chosen, operator } } }
    }),
  ]
}

const LIST_VALUE: INodeProperties = {
  displayName: 'Values',
  name: 'listValue',
  type: 'string',
  default: '',
  description: 'Values with commas between them, or an expression that gives a list',
  displayOptions: { show: { operator: ['in'] } },
}

const byReading = <T extends { readonly name: string }>(options: readonly T[]) => sorted(options, ({ name }) => name)

const fieldName = (search: 'searchFields' | 'searchOtherFields'): INodeProperties => ({
  displayName: 'Field',
  name: 'name',
  ...locator({ search, typed: 'By Name' }),
})

const typeOf = (types: readonly string[]): INodeProperties => ({
  displayName: 'Field Type',
  name: 'type',
  type: 'options',
  default: 'String',
  options: byReading(types.map((value) => ({ name: value === EMPTY_TYPE ? 'Empty (Null)' : value, value }))),
})

const TYPES = Object.keys(CUSTOM_TYPES)

const byCustomType = Object.fromEntries(
  Object.keys(FAMILIES).map((family) => [family, TYPES.filter((type) => CUSTOM_FAMILIES[type as CustomType] === family)]),
) as unknown as { readonly [family in Family]: readonly string[] }

const valuesByType = (more?: { readonly [name: string]: boolean[] }): INodeProperties[] =>
  (Object.entries(byCustomType) as [Family, string[]][]).map(([family, types]) => ({
    ...entryOf(family),
    displayOptions: { show: { type: types, ...more } },
  }))

/** The filterable fields of a record with their families. */
export function filterable(record: RecordType): [name: string, family: Family][] {
  return Object.entries(record.fields).flatMap(([name, { kind, access }]) => {
    const family = FIELD_KINDS[kind]
    return family && access !== 'secret' ? [[name, family] as [string, Family]] : []
  })
}

const manyOf = (name: string, button: string): Pick<INodeProperties, 'name' | 'type' | 'default' | 'placeholder' | 'typeOptions'> => ({
  name,
  type: 'fixedCollection',
  default: {},
  placeholder: button,
  typeOptions: { multipleValues: true },
})

/** Conditions on the fields of a record, with the operators and value of the field's type. */
export function filters(record: RecordType, open: boolean): INodeProperties {
  const fields = filterable(record)
  const byFamily: { [family in Family]?: string[] } = {}
  for (const [name, family] of fields) byFamily[family] = [...(byFamily[family] ?? []), name]
  const options = byReading(fields.map(([name]) => ({ name: displayNameOf(name, record), value: name })))
  const condition = {
    displayName: 'Condition',
    name: 'conditions',
    values: [
      { displayName: 'Field', name: 'field', type: 'options', default: options[0]?.value ?? '', options } as INodeProperties,
      ...comparisons('field', byFamily),
      LIST_VALUE,
    ],
  }
  const other = {
    displayName: 'Condition on Other Field',
    name: 'others',
    values: [fieldName('searchFields'), typeOf(TYPES), ...comparisons('type', byCustomType), LIST_VALUE],
  }
  return {
    displayName: 'Filters',
    ...manyOf('Filters', 'Add Condition'),
    description: 'Every condition must be met. Without any, all records that the key may see are there.',
    options: open ? [condition, other] : [condition],
  }
}

/** The fields of a patch, each with its type. */
export function changes(record: RecordType, patch: { readonly properties: { readonly [name: string]: Schema } }): INodeProperties {
  const options = Object.entries(patch.properties).map(([name, schema]) => parameter(name, schema, record))
  return {
    displayName: 'Fields to Update',
    name: 'FieldsToUpdate',
    type: 'collection',
    default: {},
    placeholder: 'Add Field',
    description: 'What is not added stays as it is, and so does a field whose expression gives nothing',
    options: sorted(options, ({ displayName }) => displayName),
  }
}

/** The fields of a patch that can be cleared. */
export function clearable(record: RecordType, patch: { readonly properties: { readonly [name: string]: Schema } }): INodeProperties | undefined {
  const names = Object.entries(patch.properties).flatMap(([name, { type }]) => ([type].flat().includes('null') ? [name] : []))
  if (names.length === 0) return undefined
  return {
    displayName: 'Fields to Clear',
    name: 'FieldsToClear',
    type: 'multiOptions',
    default: [],
    description: 'Fields that shall have no value any more. None of them can be updated at the same time.',
    options: byReading(names.map((name) => ({ name: displayNameOf(name, record), value: name }))),
  }
}

/**
 * The fields that the workspace has beyond the contract, as its description lists them. The mode is `add` also where records are updated:
 * for the others n8n asks for a field to find the record by.
 */
export const workspaceFields: INodeProperties = {
  displayName: 'Workspace Fields',
  name: 'WorkspaceFields',
  type: 'resourceMapper',
  noDataExpression: true,
  default: { mappingMode: 'defineBelow', value: null },
  description: 'The fields that the workspace has defined, and those that its CRM account has beyond the standard ones',
  typeOptions: {
    loadOptionsDependsOn: ['resource', 'operation'],
    resourceMapper: {
      resourceMapperMethod: 'getWorkspaceFields',
      mode: 'add',
      valuesLabel: 'Workspace Fields',
      fieldWords: { singular: 'field', plural: 'fields' },
      addAllFields: false,
      supportAutoMap: false,
    },
  },
}

/** Fields beyond the contract by their names, as an expression may give them. */
export const otherFields: INodeProperties = {
  displayName: 'Other Fields',
  ...manyOf('OtherFields', 'Add Field'),
  description:
    'Fields beyond the standard ones, by their names and with their types. A field whose expression gives nothing is left as it is; Empty (Null) clears it.',
  options: [{ displayName: 'Field', name: 'fields', values: [fieldName('searchOtherFields'), typeOf([...TYPES, EMPTY_TYPE]), ...valuesByType()] }],
}

/** The fields of a custom object with their definitions and first values. */
export const definitions: INodeProperties = {
  displayName: 'Fields',
  ...manyOf('Fields', 'Add Field'),
  description: 'The fields of the new record, with their values. A label defines the field; without one it is defined already.',
  options: [
    {
      displayName: 'Field',
      name: 'fields',
      values: [
        { ...fieldName('searchOtherFields'), description: 'A letter, then letters, digits and underscores' },
        {
          displayName: 'Field Label',
          name: 'label',
          type: 'string',
          default: '',
          description: 'What people read; left empty for a field that is defined already',
        },
        typeOf(TYPES),
        {
          displayName: 'Choices',
          name: 'choices',
          ...ENTERED.list,
          description: 'The only values that it accepts; left empty where it accepts any, and for a field that is defined already',
          displayOptions: { show: { type: ['Choice', 'Choices'] } },
        },
        {
          displayName: 'Refers To',
          name: 'refersTo',
          type: 'options',
          default: 'Company',
          options: byReading(REFERRED.map((value) => ({ name: heading(value), value }))),
          displayOptions: { show: { type: ['Reference'] } },
        },
        {
          displayName: 'Set a Value',
          name: 'setValue',
          type: 'boolean',
          default: true,
          description: 'Whether the new record has a value for it; an empty text is none, but 0 and false are',
        },
        ...valuesByType({ setValue: [true] }),
      ],
    },
  ],
}

/** Parameters that are added one by one. */
export function collection(name: string, placeholder: string, all: INodeProperties[]): INodeProperties {
  return {
    displayName: heading(name),
    name,
    type: 'collection',
    default: {},
    placeholder,
    options: sorted(all, ({ displayName }) => displayName),
  }
}
