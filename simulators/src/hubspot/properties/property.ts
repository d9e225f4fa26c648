/** One of the values that an enumeration may have. */
export interface Option {
  readonly label: string
  readonly value: string
  readonly description: string
  readonly displayOrder: number
  readonly hidden: boolean
}

export const PROPERTY_TYPES = ['string', 'number', 'date', 'datetime', 'bool', 'enumeration'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** The field types in which each type can be shown. */
export const FIELD_TYPES: { readonly [T in PropertyType]: readonly string[] } = {
  string: ['text', 'textarea', 'html', 'phonenumber', 'file', 'calculation_equation'],
  number: ['number', 'calculation_equation'],
  date: ['date'],
  datetime: ['date'],
  bool: ['booleancheckbox', 'calculation_equation'],
  enumeration: ['select', 'radio', 'checkbox', 'booleancheckbox', 'calculation_equation'],
}

/** What a value must be beyond its type. */
export type Check = 'email' | 'owner' | 'pipeline' | 'stage'

export interface Property {
  readonly name: string
  readonly label: string
  readonly type: PropertyType
  readonly fieldType: string
  readonly groupName: string
  readonly description: string
  readonly options: readonly Option[]
  readonly displayOrder: number
  readonly hidden: boolean
  readonly formField: boolean
  readonly hasUniqueValue: boolean
  readonly hubspotDefined: boolean
  /** Whether the values are kept elsewhere: owners, pipelines and stages. */
  readonly externalOptions: boolean
  readonly readOnly: boolean
  readonly check: Check | undefined
  /** In milliseconds; undefined for those that have always been there. */
  readonly createdAt: number | undefined
  readonly updatedAt: number | undefined
}

const FIELD_TYPE: { readonly [T in PropertyType]: string } = {
  string: 'text',
  number: 'number',
  date: 'date',
  datetime: 'date',
  bool: 'booleancheckbox',
  enumeration: 'select',
}

/** A property, of which only what is unusual has to be said. */
export function property(name: string, label: string, type: PropertyType, more: Partial<Property> = {}): Property {
  return {
    name,
    label,
    type,
    fieldType: FIELD_TYPE[type],
    groupName: '',
    description: '',
    options: type === 'bool' ? optionsOf(['true', 'false'], ['True', 'False']) : [],
    displayOrder: -1,
    hidden: false,
    formField: true,
    hasUniqueValue: false,
    hubspotDefined: true,
    externalOptions: false,
    readOnly: false,
    check: undefined,
    createdAt: undefined,
    updatedAt: undefined,
    ...more,
  }
}

export function optionsOf(values: readonly string[], labels: readonly string[] = values): Option[] {
  return values.map((value, displayOrder) => ({ label: labels[displayOrder] ?? value, value, description: '', displayOrder, hidden: false }))
}
