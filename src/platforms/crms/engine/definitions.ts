import { Definition as DefinitionType } from '../../../contract/records/custom-object.ts'
import type { Found, Query, StoredRecord } from '../../platform.ts'
import { matches, sorting } from './comparison.ts'
import type { Definition } from './driver.ts'

/** A page of the definitions of an account's custom objects. */
export function findAmong(definitions: readonly Pick<Definition, 'ObjectName' | 'FieldName'>[], { where, order, after, limit }: Query): Found {
  const sorts = sorting(order, DefinitionType.id)
  const all = definitions
    .map((definition): StoredRecord => ({ ...definition, DefinitionID: `${definition.ObjectName}.${definition.FieldName}` }))
    .filter((record) => where.every((condition) => matches(record, condition)))
    .sort(sorts)
  const rest = after ? all.filter((record) => sorts(record, { [order.field]: after.value, DefinitionID: after.id }) > 0) : all
  return { records: rest.slice(0, limit), more: rest.length > limit }
}
