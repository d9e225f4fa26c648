import { canonicalId } from '../../contract/canonical-ids.ts'
import { CrmError } from '../../contract/errors.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { Change } from '../../contract/records/change.ts'
import { eventTypeOf } from '../../contract/records/event.ts'
import type { Erasure, Reader, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { notFound } from '../access/access.ts'
import { findRecords } from '../call/records.ts'
import type { Context, Prepared, Written } from '../call/types.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import { erasePreviews } from '../journal/confirmations.ts'
import { eraseFromMirror } from '../watch/erase.ts'
import { noteErasure } from '../watch/erasures.ts'
import { recordOf } from '../watch/mirrored.ts'
import { readPosition } from '../watch/positions.ts'
import { accountOf } from '../watch/source.ts'
import { userIdsOn } from '../watch/watched.ts'
import { removeAttempts } from '../webhooks/attempts.ts'
import { isOwn } from './context.ts'
import { emptyReferences, removeWithReferences } from './references.ts'

/** Removes a record and every image of it. The audit lines stay, without their images. */
export function eraseRecord(context: Context): Prepared {
  const { binding, input } = context
  const type = recordType(input.RecordType as string)
  if (binding.isStore) return eraseInStore(context, type, input.RecordID as string)
  const { name, supports } = binding.platform
  if (!supports.erasure) throw new CrmError('unsupported', `${name} keeps its records outside the store, where this service cannot erase every image of them.`)
  return eraseInCrm(context, type, canonicalId(binding.platform, type.name, input.RecordID as string), supports.erasure(type.name))
}

function eraseInStore(context: Context, type: RecordType, id: string): Prepared {
  return {
    on: Change,
    async work(writer) {
      // Otherwise an undo could restore the record meanwhile.
      await writer.lockWorkspace()
      const record = await writer.get(type.name, id)
      const last = await lastLine(writer, type, id)
      if (!record && !last) throw notFound(type, id, 'RecordID')
      const also = record ? await emptyReferences(context, writer, type, id) : []
      const lines = await eraseImages(writer, type.name, id)
      return erased(type, id, lines, record !== undefined, ownerIn(type, record, last), also)
    },
  }
}

/** In the CRM first, in whichever way it has: what it refuses leaves every image as it was. A call that crashes in between is repeated, and finds the rest. */
function eraseInCrm(context: Context, type: RecordType, id: string, { types, keeps }: Erasure): Prepared {
  const { service, caller, binding } = context
  const { number } = caller.workspace
  const { store } = service
  return {
    on: type,
    async work(writer) {
      const record = await writer.get(type.name, id)
      const last = await lastLine(store.reader(number), type, id)
      const row = await store.mirror(number).get(type.name, id)
      // What was erased before this call began is not what an attempt of it with an unknown outcome has deleted.
      const isErased = last?.EventType === eventTypeOf(type, 'erased')
      const isDeletedByUs = !isErased && (await isOwn(writer, type, 'deleted', id))
      if (!record && !last && !row && !isDeletedByUs) throw notFound(type, id, 'RecordID')
      const mirrored = row && recordOf(type, row, await userIdsOn(binding.platform, number))
      if (!writer.isDryRun) await store.write(number, (journal) => noteErasure(journal, types, id, true))
      const { also, removed } = await removeWithReferences(context, writer, type, id, record, () =>
        writer.purge ? writer.purge(type.name, id) : writer.delete(type.name, id),
      )
      const wasHere = record !== undefined || removed || isDeletedByUs
      const isOfAccount = wasHere || (row !== undefined && (await readPosition(store.journal(number)))?.account === accountOf(binding.platform))
      const remains = isOfAccount
        ? keeps
        : `${binding.platform.name} does not have it. What another CRM, or one that it was deleted in before, keeps of it is not reached.`
      return {
        answer: {},
        also,
        async inStore(journal) {
          await eraseFromMirror(journal, types, id)
          let lines = 0
          for (const one of types) lines += await eraseImages(journal, one, id)
          const { answer, ...written } = erased(type, id, lines, wasHere || row !== undefined, ownerIn(type, record ?? mirrored, last), also)
          return { answer: { ...answer, ...(remains !== null && { Remains: remains }) }, ...written }
        },
      }
    },
  }
}

async function eraseImages(writer: StoreWriter, type: string, id: string): Promise<number> {
  await erasePreviews(writer, type, id)
  await removeAttempts(writer, 'RecordID', id)
  return writer.erase(type, id)
}

/** What was erased already is answered without another event. */
function erased(type: RecordType, id: string, lines: number, wasThere: boolean, owner: string, also: readonly RecordChange[]): Written {
  const answer = { RecordType: type.name, RecordID: id, Erased: true, Changes: lines }
  if (!wasThere && lines === 0) return { answer, also }
  return {
    answer,
    also,
    change: { ...changeTo(type, 'erased', { [type.id]: id, ...(type.belongs && { [type.belongs]: owner }) }, null), before: null },
  }
}

type Line = { readonly OwnerID?: unknown; readonly EventType?: unknown } | undefined

const ownerIn = ({ belongs }: RecordType, record: StoredRecord | undefined, last: Line) =>
  ((record && belongs ? record[belongs] : last?.OwnerID) ?? '') as string

async function lastLine(reader: Pick<Reader, 'find'>, type: RecordType, id: string): Promise<Line> {
  const [last] = await findRecords(reader, Change, {
    where: [
      { field: 'RecordID', family: 'text', operator: 'eq', value: id },
      { field: 'RecordType', family: 'text', operator: 'eq', value: type.name },
      { field: 'Outcome', family: 'text', operator: 'eq', value: 'ok' },
    ],
    order: { field: Change.createdField, descending: true },
    limit: 1,
  })
  return last
}
