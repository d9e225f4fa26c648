import { CrmError } from '../../contract/errors.ts'
import { recordType } from '../../contract/operations.ts'
import { Change } from '../../contract/records/change.ts'
import { notFound } from '../access/access.ts'
import { findRecords } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { erasePreviews } from '../journal/confirmations.ts'
import { emptyReferences } from './references.ts'

/** Removes a record and every image of it. The audit lines stay, without their images. */
export function eraseRecord(context: Context): Prepared {
  const { binding, input } = context
  const type = recordType(input.RecordType as string)
  const id = input.RecordID as string
  if (!binding.isStore)
    throw new CrmError('unsupported', `${binding.platform.name} keeps its records outside the store, where this service cannot erase every image of them.`)
  return {
    on: Change,
    async work(writer) {
      // Otherwise an undo could restore the record meanwhile.
      await writer.lockWorkspace()
      const record = await writer.get(type.name, id)
      const [last] = await findRecords(writer, Change, {
        where: [
          { field: 'RecordID', family: 'text', operator: 'eq', value: id },
          { field: 'RecordType', family: 'text', operator: 'eq', value: type.name },
          { field: 'Outcome', family: 'text', operator: 'eq', value: 'ok' },
        ],
        order: { field: Change.createdField, descending: true },
        limit: 1,
      })
      if (!record && !last) throw notFound(type, id, 'RecordID')
      await erasePreviews(writer, id)
      const also = record ? await emptyReferences(context, writer, type, id) : []
      const changes = await writer.erase(type.name, id)
      const owner = (record && type.belongs ? record[type.belongs] : last?.OwnerID) ?? ''
      return {
        answer: { RecordType: type.name, RecordID: id, Erased: true, Changes: changes },
        also,
        change: { ...changeTo(type, 'erased', { [type.id]: id, ...(type.belongs && { [type.belongs]: owner }) }, null), before: null },
      }
    },
  }
}
