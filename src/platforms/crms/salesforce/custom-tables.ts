import { CUSTOM_TYPES, CustomObject } from '../../../contract/records/custom-object.ts'
import type { Definition } from '../engine/driver.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import type { SalesforcePlace } from './codec.ts'
import { ownName } from './custom-names.ts'
import { closedValues, customType, type FieldDescribe, fieldIn, limitsIn, type ObjectDescribe } from './describes.ts'
import { referred } from './further-fields.ts'
import { COMMON } from './tables.ts'

/** A custom object of the account. The fields of its table are what every record has, and the user-defined ones by their own names. */
export interface CustomTable {
  readonly name: string
  readonly prefix: string
  readonly table: Table
  readonly definitions: readonly Definition[]
  /** Whether searches for words find its records. */
  readonly isSearched: boolean
}

const TAKEN: ReadonlySet<string> = new Set([...Object.keys(CustomObject.fields), 'Fields'])

/** What a custom object is to us; undefined where it has no name that we could call it by. */
export function customTable(describe: ObjectDescribe, tables: Tables): CustomTable | undefined {
  const name = ownName(describe.name)
  if (name === undefined || describe.keyPrefix == null) return undefined
  const common = Object.entries(COMMON).filter(([, place]) => fieldIn(describe, place.name))
  const fields = new Map<string, { readonly field: FieldDescribe; readonly place: Place; readonly definition: Definition }>()
  for (const field of describe.fields) {
    const fieldName = field.name === 'Name' ? 'Name' : ownName(field.name)
    const type = customType(field.type)
    // A field of the account's own that is called Name comes before the one that every object has.
    const taken = fieldName === undefined || TAKEN.has(fieldName) || (field.name === 'Name' && fields.has('Name'))
    const isReference = field.type === 'reference'
    // The detail side of a relationship is set when a record is created.
    if (taken || !type || !field.createable || !(field.updateable || isReference)) continue
    const place: SalesforcePlace = {
      name: field.name,
      kind: CUSTOM_TYPES[type],
      ...limitsIn(field),
      ...(!field.updateable && { createOnly: true }),
    }
    const Values = closedValues(field)
    const RefersTo = isReference ? referredRecord(field, tables) : undefined
    const definition = { ObjectName: name, FieldName: fieldName, Type: type, Label: field.label, ...(Values && { Values }), ...(RefersTo && { RefersTo }) }
    fields.set(fieldName, { field, place, definition })
  }
  return {
    name,
    prefix: describe.keyPrefix,
    isSearched: describe.searchable !== false,
    table: {
      object: describe.name,
      fields: {
        ObjectID: { name: 'Id', kind: 'id', readOnly: true },
        ...Object.fromEntries(common),
        ...Object.fromEntries([...fields].map(([field, { place }]) => [field, place])),
      },
    },
    definitions: [...fields.values()].map(({ definition }) => definition),
  }
}

/** The record type of ours that a reference leads to: one that has a table, or a custom object. */
function referredRecord(field: FieldDescribe, tables: Tables): string | undefined {
  const { referenceTo = [] } = field
  return referenceTo.length > 0 && referenceTo.every((object) => ownName(object) !== undefined) ? CustomObject.name : referred(field, tables)
}

/** The places of the user-defined fields of an object, by their names. */
export function valuePlaces({ table, definitions }: CustomTable): [name: string, place: Place][] {
  return definitions.flatMap(({ FieldName }): [string, Place][] => {
    const place = table.fields[FieldName]
    return place ? [[FieldName, place]] : []
  })
}
