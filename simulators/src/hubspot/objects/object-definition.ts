import { optionsOf, type Property, property } from '../properties/property.ts'

/** What is known of a type of object before anybody has made one. */
export interface ObjectDefinition {
  readonly id: string
  /** In paths and in the keys of associations. */
  readonly plural: string
  readonly singular: string
  readonly groupName: string
  /** The properties in which the times of the creation and of the last change are kept. */
  readonly created: string
  readonly modified: string
  readonly properties: readonly Property[]
  /** Answered where nobody asks for others, beside the id and the two times. */
  readonly shown: readonly string[]
  /** Looked through by a search for words. */
  readonly searched: readonly string[]
  /** Without these nothing is created. */
  readonly required: readonly string[]
  /** What a new one has unless something else is sent. */
  readonly atBirth: { readonly [name: string]: string }
}

export const owner = property('hubspot_owner_id', 'Owner', 'enumeration', { externalOptions: true, check: 'owner' })
export const pipeline = (name: string) => property(name, 'Pipeline', 'enumeration', { externalOptions: true, check: 'pipeline' })
export const stage = (name: string, label: string) => property(name, label, 'enumeration', { fieldType: 'radio', externalOptions: true, check: 'stage' })
export const long = { fieldType: 'textarea' } as const
export const phone = { fieldType: 'phonenumber' } as const
export const text = (name: string, label: string, more: Partial<Property> = {}) => property(name, label, 'string', more)
export const choice = (name: string, label: string, values: readonly string[], labels?: readonly string[]) =>
  property(name, label, 'enumeration', { options: optionsOf(values, labels) })

/** Properties that HubSpot alone writes. */
export function kept(created: string, modified: string, createdReadOnly: boolean): Property[] {
  return [
    property('hs_object_id', 'Record ID', 'number', { readOnly: true, hasUniqueValue: true }),
    property(created, 'Create Date', 'datetime', { readOnly: createdReadOnly }),
    property(modified, 'Last Modified Date', 'datetime', { readOnly: true }),
  ]
}

/** An activity or a thing for sale: little more than its properties is simulated. */
export function plain(
  id: string,
  plural: string,
  singular: string,
  created: string,
  properties: readonly Property[],
  more: Partial<ObjectDefinition>,
): ObjectDefinition {
  const groupName = created === 'createdate' ? `${singular.replace('_', '')}information` : 'engagement'
  const own = { id, plural, singular, groupName, created, modified: 'hs_lastmodifieddate', shown: [], required: [], atBirth: {} }
  const searched = properties.flatMap(({ name, type }) => (type === 'string' ? [name] : []))
  return { ...own, searched, properties: [...properties, owner, ...kept(created, 'hs_lastmodifieddate', true)], ...more }
}

/** What a type of object made by the account has of its own. */
export function customObject(
  id: string,
  name: string,
  fullyQualifiedName: string,
  properties: readonly Property[],
  more: Partial<ObjectDefinition>,
): ObjectDefinition {
  return {
    id,
    plural: fullyQualifiedName,
    singular: fullyQualifiedName,
    groupName: `${name}_information`,
    created: 'hs_createdate',
    modified: 'hs_lastmodifieddate',
    properties: [...properties, owner, ...kept('hs_createdate', 'hs_lastmodifieddate', true)],
    shown: [],
    searched: [],
    required: [],
    atBirth: {},
    ...more,
  }
}
