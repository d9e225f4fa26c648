import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { User } from '../../contract/user.ts'
import type { Platform, Reader, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { notFound, sees, seesRecord } from '../access.ts'
import type { Input, Search } from '../check.ts'
import { type Caller, platformOf, type Service } from '../service.ts'

/** What a verb works with: a call that has been checked and allowed. */
export interface Context {
  readonly service: Service
  readonly caller: Caller
  readonly operation: Operation
  readonly input: Input
  readonly search: Search
}

/** Users and keys live in the store, everything else on the platform. */
function home({ service, caller }: Context, type: RecordType): Platform {
  return STORE_TYPES.includes(type.name) ? service.store : platformOf(service, caller.workspace)
}

export function reading(context: Context): Reader {
  return home(context, context.operation.record).reader(context.caller.workspace.number)
}

export function writing<T>(context: Context, work: (writer: Writer) => Promise<T>): Promise<T> {
  return home(context, context.operation.record).write(context.caller.workspace.number, work)
}

/** A record the caller may see; what they may not does not exist for them. */
export async function visible(reader: Reader, caller: Caller, type: RecordType, id: string, field?: string): Promise<StoredRecord> {
  const record = await reader.get(type.name, id)
  if (!record || !seesRecord(caller, type, record)) throw notFound(type, id, field)
  return record
}

/** A user the caller may name. */
export async function visibleUser({ service, caller }: Context, id: string, field: string): Promise<StoredRecord> {
  const user = await service.store.reader(caller.workspace.number).get(User.name, id)
  if (!user || !sees(caller, id)) throw notFound(User, id, field)
  return user
}

export function checkRevision(record: StoredRecord, type: RecordType, ifRevision: unknown): void {
  if (ifRevision === undefined || record.Revision === ifRevision) return
  throw new CrmError('conflict', `This ${type.name} has Revision ${record.Revision}, not ${ifRevision}: it has changed since you read it.`, {
    errors: [{ field: 'IfRevision', code: 'conflict', message: `The record has Revision ${record.Revision}.`, expected: String(record.Revision) }],
    hint: 'Read the record again and decide whether the change still applies.',
  })
}

const answered = new WeakMap<RecordType, readonly string[] | undefined>()

/** A record as it is answered: without what is the connector's own affair. */
export function shown(type: RecordType, record: StoredRecord): StoredRecord {
  if (!answered.has(type)) {
    const all = Object.entries(type.fields)
    const names = all.flatMap(([name, { access }]) => (access === 'secret' ? [] : [name]))
    answered.set(type, names.length < all.length ? names : undefined)
  }
  const names = answered.get(type)
  if (!names) return record
  return Object.fromEntries(names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]])))
}

const births = new WeakMap<RecordType, readonly { readonly name: string; readonly atBirth: Value }[]>()

/** A new record: what was given, what it is born with, null for the rest. */
export function born(type: RecordType, birth: { readonly id: string; readonly at: string }, given: Input): StoredRecord {
  let fields = births.get(type)
  if (!fields) {
    fields = Object.entries(type.fields).map(([name, { atBirth = null }]) => ({ name, atBirth: atBirth as Value }))
    births.set(type, fields)
  }
  const record: StoredRecord = {}
  for (const { name, atBirth } of fields) record[name] = (given[name] ?? atBirth) as StoredRecord[string]
  record[type.id] = birth.id
  record.CreatedDate = birth.at
  if (type.revised) {
    record.UpdatedDate = birth.at
    record.Revision = 1
  }
  return record
}

/** The fields that every change sets. */
export function revised(record: StoredRecord, at: string): StoredRecord {
  return { UpdatedDate: at > (record.UpdatedDate as string) ? at : (record.UpdatedDate as string), Revision: (record.Revision as number) + 1 }
}
