import { CUSTOM_TYPES, CustomObject } from '../../../contract/records/custom-object.ts'
import type { Definition } from '../engine/driver.ts'
import type { Place, Table } from '../engine/tables.ts'
import type { SalesforcePlace } from './codec.ts'
import { ownName } from './custom-names.ts'
import { customType, type FieldDescribe, fieldIn, limitsIn, type ObjectDescribe } from './describes.ts'
import { COMMON } from './tables.ts'

/** A custom object of the account. The fields of its table are what every record has, and the user-defined ones by their own names. */
export interface CustomTable {
  readonly name: string
  readonly prefix: string
  readonly table: Table
  readonly definitions: readonly Definition[]
}

const TAKEN: ReadonlySet<string> = new Set([...Object.keys(CustomObject.fields), 'Fields'])

/** What a custom object is to us; undefined where it has no name that we could call it by. */
export function customTable(describe: ObjectDescribe): CustomTable | undefined {
  const name = ownName(describe.name)
  if (name === undefined || describe.keyPrefix == null) return undefined
  const common = Object.entries(COMMON).filter(([, place]) => fieldIn(describe, place.name))
  const fields = new Map<string, { readonly field: FieldDescribe; readonly place: Place; readonly definition: Definition }>()
  for (const field of describe.fields) {
    const fieldName = field.name === 'Name' ? 'Name' : ownName(field.name)
    const type = customType(field.type)
    // A field of the account's own that is called Name comes before the one that every object has.
    const taken = fieldName === undefined || TAKEN.has(fieldName) || (field.name === 'Name' && fields.has('Name'))
    if (taken || !type || !field.createable || !field.updateable) continue
    const place: SalesforcePlace = { name: field.name, kind: CUSTOM_TYPES[type], ...limitsIn(field) }
    fields.set(fieldName, { field, place, definition: { ObjectName: name, FieldName: fieldName, Type: type, Label: field.label } })
  }
  return {
    name,
    prefix: describe.keyPrefix,
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

/** The places of the user-defined fields of an object, by their names. */
export function valuePlaces({ table, definitions }: CustomTable): [name: string, place: Place][] {
  return definitions.flatMap(({ FieldName }): [string, Place][] => {
    const place = table.fields[FieldName]
    return place ? [[FieldName, place]] : []
  })
}
