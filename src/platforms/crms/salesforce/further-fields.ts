import type { FieldKind } from '../../../contract/fields.ts'
import { recordType } from '../../../contract/operations.ts'
import { type AccountField, withAccountFields } from '../engine/account-fields.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import { ownName } from './custom-names.ts'
import { type FieldDescribe, fieldIn, type ObjectDescribe } from './describes.ts'
import { TABLES } from './tables.ts'

/** The kinds of fields, by Salesforce's types. Compound, binary and encrypted fields have none. */
const KINDS: { readonly [type: string]: FieldKind } = {
  string: 'text',
  textarea: 'text',
  url: 'text',
  email: 'email',
  phone: 'phone',
  picklist: 'choice',
  combobox: 'choice',
  multipicklist: 'choices',
  reference: 'id',
  double: 'number',
  percent: 'number',
  currency: 'money',
  int: 'integer',
  long: 'integer',
  date: 'date',
  datetime: 'timestamp',
  boolean: 'boolean',
}

/** A longer text area can be neither searched nor sorted by. */
const SHORT = 255

export function kindOf({ type, length = 0 }: Pick<FieldDescribe, 'type' | 'length'>): FieldKind | undefined {
  if (type === 'textarea' && length > SHORT) return 'longText'
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
}

/** What moves although the record was not changed, what is always false, and what can only be written: comments of cases are records of their own. */
const LEFT_OUT: ReadonlySet<string> = new Set(['Id', 'IsDeleted', 'SystemModstamp', 'LastViewedDate', 'LastReferencedDate', 'Case.Comments'])

/** The table with the fields of the account that neither the contract nor the configuration names. Notes, comments and memberships have none. */
export function withFurtherFields(type: string, table: Table, describe: ObjectDescribe, tables: Tables): Table {
  if (!recordType(type).owned) return table
  // A person's Name and an Address are made of other fields.
  const compound = new Set(describe.fields.map(({ compoundFieldName }) => compoundFieldName))
  const fields = describe.fields.flatMap((field): AccountField[] => {
    const kind = kindOf(field)
    if (!kind || field.deprecatedAndHidden || compound.has(field.name) || LEFT_OUT.has(field.name) || LEFT_OUT.has(`${describe.name}.${field.name}`)) return []
    // A master-detail reference is given when a record is created; what else cannot be both created and changed is only read.
    const readOnly = field.createable !== true || (field.updateable !== true && kind !== 'id')
    // What Salesforce sets itself, such as the record that another was merged into, is none that could be emptied with what it points to.
    const refers = kind === 'id' && field.updateable === true ? referred(field, tables) : undefined
    return [
      {
        ours: ownName(field.name) ?? field.name,
        name: field.name,
        kind,
        label: field.label,
        ...(refers !== undefined && { refers }),
        ...(readOnly && { readOnly }),
        ...(field.unique && { unique: true }),
      },
    ]
  })
  return withAccountFields(type, table, fields)
}

/** The record type of ours that a reference leads to, where it leads to no other. */
export function referred({ referenceTo = [] }: FieldDescribe, tables: Tables): string | undefined {
  const [object, ...others] = referenceTo
  if (others.length > 0) return undefined
  const types = Object.keys(tables).filter((type) => tables[type]?.object === object && recordType(type).owned)
  // Several of our types may live in one object.
  return types.find((type) => (TABLES as Tables)[type]?.object === object) ?? types[0]
}

/** How ExternalID gets a place; docs/platforms/salesforce.md says more. */
export const EXTERNAL_ID_REMEDY =
  'In Setup → Object Manager → the object → Fields & Relationships, make a text field External_ID__c, tick “Unique” and “External ID”, and make it visible to the user of the connector.'

const EXTERNAL_IDS = ['ExternalID__c', 'External_ID__c']

/** Where ExternalID lives, unless the configuration says so: in a text field of the account's own that is called so. */
export function externalIdPlace({ fields }: Table, describe: ObjectDescribe): { readonly ExternalID?: Place } {
  if (fields.ExternalID !== null) return {}
  const field = EXTERNAL_IDS.map((name) => fieldIn(describe, name)).find((one) => one?.type === 'string')
  if (!field) return {}
  const remark = 'Salesforce itself does not keep it unique: tick “Unique” and “External ID” on the field.'
  return { ExternalID: { name: field.name, kind: 'text', ...(!field.unique && { remark }) } }
}
