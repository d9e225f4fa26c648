import { CrmError } from '../../contract/errors.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { eventTypeOf, type Happening } from '../../contract/records/event.ts'
import { User } from '../../contract/records/user.ts'
import type { Platform, Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound, sees, seesRecord } from '../access/access.ts'
import { getRecord, type RecordOf } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { type Caller, platformOf } from '../service.ts'

/** Users and keys live in the store, everything else on the platform. */
export function platformFor({ service, caller }: Pick<Context, 'service' | 'caller'>, type: RecordType): Platform {
  return STORE_TYPES.includes(type.name) ? service.store : platformOf(service, caller.workspace)
}

export function reading(context: Context): Reader {
  return platformFor(context, context.operation.record).reader(context.caller.workspace.number)
}

/** A record the caller may see; what they may not does not exist for them. */
export async function visible<T extends RecordType>(reader: Reader, caller: Caller, type: T, id: string, field?: string): Promise<RecordOf<T>> {
  const record = await getRecord(reader, type, id)
  if (!record || !seesRecord(caller, type, record)) throw notFound(type, id, field)
  return record
}

/** A user the caller may name. A write that lives in the store sees what was written just before it. */
export async function visibleUser(
  { service, caller }: Context,
  id: string,
  field: string,
  writing?: { on: RecordType; writer: Writer },
): Promise<StoredRecord> {
  const inStore = writing && platformFor({ service, caller }, writing.on) === service.store
  const user = await (inStore ? writing.writer.getForReference(User.name, id) : service.store.reader(caller.workspace.number).get(User.name, id))
  if (!user || !sees(caller, id)) throw notFound(User, id, field)
  return user
}

/** Whether the same work, which was begun before, has done to a record what is to be seen of it: unless the journal says that somebody else has. */
export async function isOwn(
  { earlier: again }: Writer,
  type: RecordType,
  happening: Happening,
  id: string,
  which: (change: StoredRecord) => boolean = () => true,
): Promise<boolean> {
  return again !== undefined && !(await again.changesByOthers(eventTypeOf(type, happening), id)).some(which)
}

export function checkRevision(record: StoredRecord, type: RecordType, ifRevision: unknown): void {
  if (ifRevision === undefined || record.Revision === ifRevision) return
  throw new CrmError('conflict', `This ${type.name} has Revision ${record.Revision}, not ${ifRevision}: it has changed since you read it.`, {
    errors: [{ field: 'IfRevision', code: 'conflict', message: `The record has Revision ${record.Revision}.`, expected: String(record.Revision) }],
    hint: 'Read the record again and decide whether the change still applies.',
  })
}
