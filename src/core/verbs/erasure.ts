import { CrmError } from '../../contract/errors.ts'
import { recordType } from '../../contract/operations.ts'
import { Change } from '../../contract/records/change.ts'
import { notFound } from '../access/access.ts'
import type { Context, Prepared } from '../call/types.ts'
import { happened } from '../journal/changes.ts'
import { erasePreviews } from '../journal/confirmations.ts'
import { platformOf } from '../service.ts'

/** Removes a record and every image of it for good. What remains is that it was done. */
export function eraseRecord({ service, caller, input }: Context): Prepared {
  const type = recordType(input.RecordType as string)
  const id = input.RecordID as string
  const platform = platformOf(service, caller.workspace)
  if (platform !== service.store)
    throw new CrmError('unsupported', `${platform.name} keeps its records elsewhere, where this service cannot erase them for good.`)
  return {
    on: Change,
    async work(writer) {
      // Nobody brings back meanwhile what is being erased.
      await writer.lockWorkspace()
      const record = await writer.get(type.name, id)
      const { records } = await writer.find(Change.name, {
        where: [
          { field: 'RecordID', family: 'text', operator: 'eq', value: id },
          { field: 'RecordType', family: 'text', operator: 'eq', value: type.name },
          { field: 'Outcome', family: 'text', operator: 'eq', value: 'ok' },
        ],
        order: { field: Change.createdField, descending: true },
        limit: 1,
      })
      const [last] = records
      if (!record && !last) throw notFound(type, id, 'RecordID')
      await erasePreviews(writer, id)
      const changes = await writer.erase(type.name, id)
      const owner = record && type.belongs ? (record[type.belongs] as string) : ((last?.OwnerID ?? '') as string)
      return {
        answer: { RecordType: type.name, RecordID: id, Erased: true, Changes: changes },
        change: { ...happened(type, 'erased', { [type.id]: id, ...(type.belongs && { [type.belongs]: owner }) }, null), before: null },
      }
    },
  }
}
