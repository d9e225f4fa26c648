import { optionsOf, type Property, property } from '../properties/property.ts'

export interface ObjectDefinition {
  readonly id: string
  /** Used in paths and as key of associations. */
  readonly plural: string
  readonly singular: string
  readonly groupName: string
  /** The names of the properties for the times of creation and last change. */
  readonly created: string
  readonly modified: string
  readonly properties: readonly Property[]
  /** Answered by default, with the id and the two times. */
  readonly shown: readonly string[]
  /** Searched by a full-text query. */
  readonly searched: readonly string[]
  readonly required: readonly string[]
  readonly defaults: { readonly [name: string]: string }
}

export const owner = property('hubspot_owner_id', 'Owner', 'enumeration', { externalOptions: true, check: 'owner' })
export const pipeline = (name: string) => property(name, 'Pipeline', 'enumeration', { externalOptions: true, check: 'pipeline' })
export const stage = (name: string, label: string) => property(name, label, 'enumeration', { fieldType: 'radio', externalOptions: true, check: 'stage' })
export const long = { fieldType: 'textarea' } as const
export const phone = { fieldType: 'phonenumber' } as const
export const text = (name: string, label: string, more: Partial<Property> = {}) => property(name, label, 'string', more)
export const choice = (name: string, label: string, values: readonly string[], labels?: readonly string[], more: Partial<Property> = {}) =>
  property(name, label, 'enumeration', { options: optionsOf(values, labels), ...more })

/** The id, the times, who wrote and what was merged, which HubSpot sets. */
export function systemProperties(created: string, modified: string, createdReadOnly: boolean): Property[] {
  return [
    property('hs_object_id', 'Record ID', 'number', { readOnly: true, hasUniqueValue: true }),
    property(created, 'Create Date', 'datetime', { readOnly: createdReadOnly }),
    property(modified, 'Last Modified Date', 'datetime', { readOnly: true }),
    property('hs_created_by_user_id', 'Created by user ID', 'number', { readOnly: true }),
    property('hs_updated_by_user_id', 'Updated by user ID', 'number', { readOnly: true }),
    property('hs_merged_object_ids', 'Merged Record IDs', 'enumeration', { fieldType: 'checkbox', readOnly: true }),
  ]
}

/** An activity or product: little more than its properties is simulated. */
export function plain(
  id: string,
  plural: string,
  singular: string,
  created: string,
  properties: readonly Property[],
  more: Partial<ObjectDefinition>,
): ObjectDefinition {
  const groupName = created === 'createdate' ? `${singular.replace('_', '')}information` : 'engagement'
  const own = { id, plural, singular, groupName, created, modified: 'hs_lastmodifieddate', shown: [], required: [], defaults: {} }
  const searched = properties.flatMap(({ name, type }) => (type === 'string' ? [name] : []))
  return { ...own, searched, properties: [...properties, owner, ...systemProperties(created, 'hs_lastmodifieddate', true)], ...more }
}

/** A custom object type. */
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
    properties: [...properties, owner, ...systemProperties('hs_createdate', 'hs_lastmodifieddate', true)],
    shown: [],
    searched: [],
    required: [],
    defaults: {},
    ...more,
  }
}
