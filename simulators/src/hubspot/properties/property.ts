export interface Option {
  readonly label: string
  readonly value: string
  readonly description: string
  readonly displayOrder: number
  readonly hidden: boolean
}

export const PROPERTY_TYPES = ['string', 'number', 'date', 'datetime', 'bool', 'enumeration'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

export const FIELD_TYPES: { readonly [T in PropertyType]: readonly string[] } = {
  string: ['text', 'textarea', 'html', 'phonenumber', 'file', 'calculation_equation'],
  number: ['number', 'calculation_equation'],
  date: ['date'],
  datetime: ['date'],
  bool: ['booleancheckbox', 'calculation_equation'],
  enumeration: ['select', 'radio', 'checkbox', 'booleancheckbox', 'calculation_equation'],
}

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
  /** Whether the options are owners, pipelines or stages. */
  readonly externalOptions: boolean
  readonly readOnly: boolean
  readonly check: Check | undefined
  /** In milliseconds; undefined for standard properties. */
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

/** A property with defaults for what is not given. */
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
