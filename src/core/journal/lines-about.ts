import { LIMITS } from '../../contract/limits.ts'
import { Change } from '../../contract/records/change.ts'
import type { Condition, EarlierAttempt, StoredRecord } from '../../platforms/platform.ts'
import type { Context } from '../call/types.ts'

/** Audit lines about a record, newest first. */
async function linesAbout({ service, caller }: Context, recordId: string, also: readonly Condition[] = []): Promise<readonly StoredRecord[]> {
  const { records } = await service.store.reader(caller.workspace.number).find(Change.name, {
    where: [{ field: 'RecordID', family: 'text', operator: 'eq', value: recordId }, ...also],
    order: { field: Change.createdField, descending: true },
    limit: LIMITS.children,
  })
  return records
}

/** The changes of a record since a call began. That call has no line of its own yet, so all of them are by others. */
export function changesByOthers(context: Context, since: string): EarlierAttempt['changesByOthers'] {
  return (eventType, recordId) =>
    linesAbout(context, recordId, [
      { field: 'EventType', family: 'text', operator: 'eq', value: eventType },
      { field: Change.createdField, family: 'timestamp', operator: 'gt', value: since },
    ])
}

/** The change with which a record was deleted last. */
export async function deletionOf(context: Context, recordId: string): Promise<string | undefined> {
  const line = (await linesAbout(context, recordId)).find(({ Outcome, After }) => Outcome === 'ok' && After === null)
  return line?.ChangeID as string | undefined
}

/** Whether the journal has a line of a record, so that a call with an unknown outcome cannot have created it. */
export async function isInJournal(context: Context, id: string): Promise<boolean> {
  if ((await linesAbout(context, id)).some(({ Outcome }) => Outcome === 'ok')) return true
  // Notes and comments appear in the lines of the record that they are attached to.
  const on = context.input[context.operation.record.id]
  return typeof on === 'string' && (await linesAbout(context, on)).some(({ After }) => Object.values(Object(After)).includes(id))
}
