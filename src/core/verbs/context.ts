import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { eventTypeOf, type Happening } from '../../contract/records/event.ts'
import { User } from '../../contract/records/user.ts'
import type { Platform, Reader, StoredRecord, Writer } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { notFound, sees, seesRecord } from '../access/access.ts'
import type { Input, Search } from '../call/check.ts'
import type { RecordChange } from '../journal/changes.ts'
import { type Caller, platformOf, type Service } from '../service.ts'

/** What a verb works with: a call that has been checked and allowed. */
export interface Context {
  readonly service: Service
  readonly caller: Caller
  readonly operation: Operation
  readonly input: Input
  readonly search: Search
}

/** What a write answers with, and what it has done; nothing where all was so already. */
export interface Written {
  readonly answer: object
  readonly change?: RecordChange
}

/** A write that has been looked into as far as that is possible before it begins. */
export interface Prepared {
  /** A record type that lives where this is to be carried out. */
  readonly on: RecordType
  /** It touches nothing but the writer. Only what lives in the store may count on the journal's part of it. */
  work(writer: StoreWriter): Promise<Written>
  /** What is settled in the store before a platform elsewhere is asked. */
  claim?(writer: StoreWriter): Promise<void>
  /** Takes that back, where the platform has not carried it out. */
  unclaim?(writer: StoreWriter): Promise<void>
}

/** Users and keys live in the store, everything else on the platform. */
export function home({ service, caller }: Pick<Context, 'service' | 'caller'>, type: RecordType): Platform {
  return STORE_TYPES.includes(type.name) ? service.store : platformOf(service, caller.workspace)
}

export function reading(context: Context): Reader {
  return home(context, context.operation.record).reader(context.caller.workspace.number)
}

/** A record the caller may see; what they may not does not exist for them. */
export async function visible(reader: Reader, caller: Caller, type: RecordType, id: string, field?: string): Promise<StoredRecord> {
  const record = await reader.get(type.name, id)
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
  const inStore = writing && home({ service, caller }, writing.on) === service.store
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
