import { CrmError } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import { type EventName, eventTypeOf } from '../../contract/records/event.ts'
import { User } from '../../contract/records/user.ts'
import type { Platform, Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound, sees, seesRecord } from '../access/access.ts'
import { getRecord, type RecordOf } from '../call/records.ts'
import type { Context } from '../call/types.ts'

/** The record of a type that the input names. One that the caller may not see is refused like one that does not exist. */
export async function visible<T extends RecordType>(reader: Reader, { caller, input }: Pick<Context, 'caller' | 'input'>, type: T): Promise<RecordOf<T>> {
  const id = input[type.id] as string
  const record = await getRecord(reader, type, id)
  if (!record || !seesRecord(caller, type, record)) throw notFound(type, id)
  return record
}

/** A user the caller may name. A write in the store reads in its own transaction, so that it finds a user that was created just before. */
export async function visibleUser(
  { service, caller, binding }: Context,
  id: string,
  field: string,
  writing?: { on: RecordType; writer: Writer },
): Promise<RecordOf<typeof User>> {
  const inStore = writing && binding.isStoreFor(writing.on)
  const user = await (inStore ? writing.writer.getForReference(User.name, id) : service.store.reader(caller.workspace.number).get(User.name, id))
  if (!user || !sees(caller, id)) throw notFound(User, id, field)
  return user as RecordOf<typeof User>
}

/** Whether an earlier attempt of the same call has made a change that the record shows. Not so where the journal has that change of another call. */
export async function isOwn(
  { earlier }: Writer,
  type: RecordType,
  eventName: EventName,
  id: string,
  which: (change: StoredRecord) => boolean = () => true,
): Promise<boolean> {
  return earlier !== undefined && !(await earlier.changesByOthers(eventTypeOf(type, eventName), id)).some(which)
}

export function isSameRevision(platform: Platform, one: unknown, other: unknown): boolean {
  return one === other || (platform.isSameRevision?.(Number(one), Number(other)) ?? false)
}

export function checkRevision(platform: Platform, record: StoredRecord, type: RecordType, ifRevision: unknown): void {
  if (ifRevision === undefined || isSameRevision(platform, record.Revision, ifRevision)) return
  throw new CrmError('conflict', `This ${type.name} has Revision ${record.Revision}, not ${ifRevision}: it has changed since you read it.`, {
    errors: [{ field: 'IfRevision', code: 'conflict', message: `The record has Revision ${record.Revision}.`, expected: String(record.Revision) }],
    hint: 'Read the record again and decide whether the change still applies.',
  })
}
