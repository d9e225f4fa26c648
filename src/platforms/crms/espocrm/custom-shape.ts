import { CUSTOM_TYPES, type FieldDefinition } from '../../../contract/records/custom-object.ts'
import type { StoredRecord, Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import { fieldOf, toRecord, toRow } from '../engine/translation.ts'
import type { Row } from './api.ts'
import { codec, NO, YES } from './codec.ts'
import { disowned, owned, type Shape } from './shapes.ts'
import { COMMON, commonPlace } from './tables.ts'

/** A field of a custom object. */
export interface CustomField extends FieldDefinition {
  /** As we call it. */
  readonly name: string
  readonly attribute: string
  /** EspoCRM's type of it. */
  readonly type: string
}

export interface CustomShape extends Shape {
  readonly fields: readonly CustomField[]
  readonly table: Table
}

type Values = { readonly [name: string]: Value }

/** EspoCRM's id is only one within its object, so that the object stands before it. */
const SELF: Place = { name: 'id', kind: 'id', readOnly: true }

/** Records of a custom object. */
export function customShape(objectName: string, scope: string, fields: readonly CustomField[]): CustomShape {
  const values: Table = { object: scope, fields: Object.fromEntries(fields.map((field) => [field.name, placeOf(field)])) }
  const common: Table = { object: scope, fields: COMMON }
  const places = new Map(Object.entries(values.fields as { [name: string]: Place }))
  const owner = (record: StoredRecord) => ('OwnerID' in record ? toRow(common, codec, disowned({ OwnerID: record.OwnerID as Value })) : {})
  const rowOf = (given: Values) => {
    const unknown = Object.keys(given).find((name) => !places.has(name))
    if (unknown !== undefined) throw new DriverError('conflict', `EspoCRM has no field ${unknown} in ${objectName} any more.`)
    return toRow(values, codec, given)
  }
  return {
    type: 'CustomObject',
    object: scope,
    fields,
    table: { object: scope, fields: { ...COMMON, ...values.fields } },
    places: [...Object.values(COMMON), ...places.values()],
    place: (field, name) => (name !== undefined ? places.get(name) : field === 'ObjectID' ? SELF : commonPlace(field)),
    named: (theirs) => fieldOf(values, theirs),
    fixed: {},
    record: (row: Row) =>
      owned({ ObjectID: `${scope}.${row.id}`, ObjectName: objectName, Values: toRecord(values, codec, row) as Values, ...toRecord(common, codec, row) }),
    newRow(record) {
      const given = valuesIn(record)
      const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
      return { name: titleOf(objectName, filled), ...rowOf(filled), ...owner(record) }
    },
    changed(changes, before) {
      if (!changes.Values) return owner(changes)
      const now = valuesIn(changes)
      const was = valuesIn(before)
      const cleared = Object.keys(was).flatMap((name) => (Object.hasOwn(now, name) || was[name] === null || !places.has(name) ? [] : [[name, null] as const]))
      const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(Object.hasOwn(was, name) ? was[name] : null) !== JSON.stringify(value))
      return { ...rowOf(Object.fromEntries([...cleared, ...changed])), ...owner(changes) }
    },
    idOf: (ours) => (ours.startsWith(`${scope}.`) ? ours.slice(scope.length + 1) : undefined),
  }
}

const valuesIn = ({ Values = {} }: StoredRecord) => Values as Values

/** Where EspoCRM's type says more than ours. */
const KINDS: { readonly [type: string]: Place['kind'] } = { email: 'email', phone: 'phone', currency: 'money' }

function placeOf({ attribute, Type, type }: CustomField): Place {
  const kind = KINDS[type] ?? CUSTOM_TYPES[Type]
  return {
    name: attribute,
    kind,
    ...(Type === 'Boolean' && type === 'enum' && { allowed: [YES, NO] }),
    ...(type === 'int' && { decimals: 0 }),
  }
}

const NAME_LENGTH = 255

/** What EspoCRM shows of a record in its lists: its name or title, or else the first text it has. */
function titleOf(objectName: string, values: Values): string {
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const [, text = ''] = texts.find(([name]) => /^(?:name|title)$/i.test(name)) ?? texts[0] ?? []
  const plain = [...text.replace(/[<>=\s]+/g, ' ')].slice(0, NAME_LENGTH).join('').trim()
  return plain === '' ? objectName : plain
}
