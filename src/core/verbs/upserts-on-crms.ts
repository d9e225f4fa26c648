import type { RecordType } from '../../contract/record.ts'
import type { Condition, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { digestOf } from '../access/keys.ts'
import { idOf } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { isInJournal } from '../journal/lines-about.ts'

/** Under which user upserts are stored among the idempotency keys: no user has this id, and they expire like the others. */
const USER = '(upsert)'

/** What an upsert has created, and the values that it is matched by as the CRM has stored them: it may write addresses and numbers otherwise. */
interface Upserted {
  readonly id: string
  readonly values: readonly (Value | undefined)[]
}

const isOnCrm = ({ binding }: Context) => !binding.isStore

/**
 * The record that an earlier upsert of the same values has created, in any process: the searches of a CRM may not find it yet. Undefined where it has
 * other values by now.
 */
export async function upsertedBefore(context: Context, writer: Writer, name: string, where: readonly Condition[]): Promise<StoredRecord | undefined> {
  if (!isOnCrm(context)) return undefined
  const { service, caller, operation } = context
  const entry = await service.store.journal(caller.workspace.number).findIdempotencyKey(USER, keyOf(name))
  if (!entry?.answer) return undefined
  const { id, values } = JSON.parse(entry.answer) as Upserted
  const record = await writer.get(operation.record.name, id)
  return record && JSON.stringify(valuesIn(record, where)) === JSON.stringify(values) ? record : undefined
}

export async function rememberUpsert(context: Context, writer: Writer, name: string, where: readonly Condition[], record: StoredRecord): Promise<void> {
  if (!isOnCrm(context) || writer.isDryRun) return
  const { service, caller, operation } = context
  const upserted: Upserted = { id: idOf(operation.record, record), values: valuesIn(record, where) }
  await service.store.write(caller.workspace.number, (store) =>
    store.putIdempotencyKey(USER, keyOf(name), { fingerprint: '', at: store.now(), state: 'done', answer: JSON.stringify(upserted), changeId: null }),
  )
}

const valuesIn = (record: StoredRecord, where: readonly Condition[]) =>
  where.map(({ field, name }): Value | undefined => (name === undefined ? record[field] : Object(record[field])[name]) as Value | undefined)

/** The clock of a CRM is known to the second only, so that a record may be dated this far before the attempt that has created it. */
const SKEW_MS = 2_000

/** Whether an earlier attempt of the same call, whose outcome was unknown, has created the record that is found now: it is no older, and no other call has. */
export async function isCreatedBefore(context: Context, writer: Writer, type: RecordType, record: StoredRecord): Promise<boolean> {
  if (!writer.earlier) return false
  const since = new Date(Date.parse(writer.now()) - writer.earlier.agoMs - SKEW_MS).toISOString()
  return (record[type.createdField] as string) >= since && !(await isInJournal(context, idOf(type, record)))
}

/**
 * Whether a CRM has refused a new record because another one has a value that is matched by. It keeps such values unique itself, so that another client may
 * have created the record since it was looked for.
 */
export function isTaken({ binding }: Context, error: unknown, matched: readonly string[]): boolean {
  const { errors = [] } = binding.platform.classify(error) ?? {}
  return errors.some(({ field, code }) => code === 'conflict' && matched.includes(field))
}

const keyOf = (name: string) => digestOf(name)
