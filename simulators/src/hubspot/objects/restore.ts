import { FaultError } from '../../faults.ts'
import { isObject } from '../../json.ts'
import type { Portal } from '../portal.ts'
import { chosen, shown } from './presentation.ts'

/**
 * Restores an archived record, as a person does in the recycle bin; the API has no request for it. That this leaves the modified date as it is, and
 * that a unique value which another record has by now stands in the way, are assumptions. A merge cannot be undone, as documented.
 */
export function restored(portal: Portal, input: unknown): object {
  const { type: name, id } = isObject(input) ? input : {}
  const type = typeof name === 'string' ? portal.knownType(name) : undefined
  if (!type || typeof id !== 'string') throw new FaultError('{"type": an object type, "id": the id of an archived record} is expected.')
  const record = type.records.get(id)
  if (record?.archivedAt === undefined || type.records.isMerged(id)) throw new FaultError(`There is no archived record ${id} of type ${name}.`)
  const taken = [...type.fields.values()].find((field) => field.hasUniqueValue && type.records.holder(field.name, record.values[field.name] ?? ''))
  if (taken) throw new FaultError(`Another record has the ${taken.name} ${record.values[taken.name]}.`)
  portal.request = undefined
  type.records.restore(record, portal.moment())
  return shown(portal, type, record, chosen(portal, type, []))
}
