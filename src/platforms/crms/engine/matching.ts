import { recordType } from '../../../contract/operations.ts'
import { memoise } from '../../../helpers/memoise.ts'
import type { Condition, StoredRecord } from '../../platform.ts'
import type { Account } from './account.ts'
import type { Claimant } from './created-records.ts'
import { DriverError } from './errors.ts'
import { rowsOf } from './rows.ts'

/** Fields that every write sets. */
const OWN: ReadonlySet<string> = new Set(['UpdatedDate', 'Revision'])

/** Whether a record has the values that were sent, apart from what CRMs normalise: outer blanks and control characters, letter case, fractions of seconds. */
export function hasValues(type: string, record: StoredRecord, sent: StoredRecord): boolean {
  const { id, createdField } = recordType(type)
  return Object.entries(sent).every(([field, value]) => field === id || field === createdField || OWN.has(field) || isSameValue(record[field], value))
}

/** Whether two values are the same apart from that. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (isBlank(a) && isBlank(b)) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a))
  if (typeof a === 'string' && typeof b === 'string') return plain(a) === plain(b) || isSamePhone(a, b)
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null)
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isSameValue(Reflect.get(a, name), Reflect.get(b, name)))
  return a === b
}

/** Some CRMs do not tell an unticked checkbox from a field without a value. */
const isBlank = (value: unknown) => value === null || value === undefined || value === false || (typeof value === 'string' && trimmed(value) === '')

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/

function plain(text: string): string {
  return trimmed((MOMENT.exec(text)?.[0] ?? text).replaceAll('\r\n', '\n')).toLowerCase()
}

/** A text without blanks and control characters at its ends. */
function trimmed(text: string): string {
  const isOuter = (at: number) => text.charCodeAt(at) <= 0x20 || text.charCodeAt(at) === 0x7f
  let [from, to] = [0, text.length]
  while (from < to && isOuter(from)) from++
  while (to > from && isOuter(to - 1)) to--
  return text.slice(from, to).trim()
}

const PHONE = /^\+?[\d\s()./-]+$/
const FEWEST_DIGITS = 6

/** Some CRMs reformat telephone numbers, with or without the country code, so that the digits are compared. */
export function isSamePhone(a: string, b: string): boolean {
  if (!PHONE.test(a) || !PHONE.test(b)) return false
  const [short = '', long = ''] = [a, b].map((text) => text.replace(/\D/g, '').replace(/^0+/, '')).sort((one, other) => one.length - other.length)
  return short.length >= FEWEST_DIGITS && long.endsWith(short)
}

/** The texts that a record of a type cannot be without, and that people know it by. */
const namesOf = memoise((type: string): readonly string[] =>
  Object.entries(recordType(type).fields).flatMap(([name, { kind, required }]) => (required && kind === 'text' && name !== 'ObjectName' ? [name] : [])),
)

/** The same for creates whose records would have the same name. */
export function nameKeyOf(type: string, sent: StoredRecord): string {
  return JSON.stringify([type, sent.ObjectName, ...namesOf(type).map((name) => plain(String(sent[name] ?? '')))])
}

/** The same for creates that send the same. */
export function valuesKeyOf(type: string, sent: StoredRecord): string {
  return JSON.stringify([type, sent])
}

/** The fields whose values differ from what was sent; undefined where the record cannot be the one sent. Rules of the CRM may alter some fields. */
function alteredFields(type: string, record: StoredRecord, sent: StoredRecord): string[] | undefined {
  const names = namesOf(type)
  const [here, there] = recordType(type).userDefined ? [sent.Values, record.Values] : [sent, record]
  const own = [...OWN, recordType(type).id, recordType(type).createdField]
  const fields = Object.keys(Object(here)).filter((field) => !own.includes(field))
  const altered = fields.filter((field) => !isSameValue(Reflect.get(Object(there), field), Reflect.get(Object(here), field)))
  const isSame = names.length > 0 ? names.every((name) => !altered.includes(name)) : recordType(type).userDefined && altered.length * 2 < fields.length
  return isSame ? altered : undefined
}

export interface LostCreate {
  readonly type: string
  readonly sent: StoredRecord
  /** Records that were created earlier do not count. */
  readonly since: string
  readonly on: string | undefined
  /** Whether the CRM has reported the create as executed. */
  readonly executed: boolean
  /** Whether it is searched for where nothing lags, which may cost many requests. */
  readonly current?: boolean
  /** The call that sent it. */
  readonly by: Claimant
  isKnown(id: string): Promise<boolean>
}

/**
 * Finds the record of a create whose answer was lost: one that has the values sent and was created by no other call. A record that differs in
 * some fields is accepted only if the CRM has reported the create as executed; otherwise the outcome stays unknown.
 */
export async function findCreated(account: Account, { type, sent, since, on, executed, current, by, isKnown }: LostCreate): Promise<StoredRecord | undefined> {
  const { driver, createdRecords } = account
  const { id, createdField, internalId } = recordType(type)
  if (internalId) return (await driver.get(type, [sent[id] as string]))[0]
  await createdRecords.waitForSends(nameKeyOf(type, sent))
  const where: Condition[] = [{ field: createdField, family: 'timestamp', operator: 'gte', value: since }, ...equalities(type, sent)]
  const query = {
    where: where.filter((condition) => driver.narrows(type, condition) !== 'not'),
    size: driver.supports.page,
    ...(current && { current }),
    leavesNoneOut: true,
    ...(on !== undefined && { on }),
    ...(typeof sent.ObjectName === 'string' && { object: sent.ObjectName }),
  }
  const altered: { readonly record: StoredRecord; readonly fields: readonly string[] }[] = []
  for await (const page of rowsOf(driver, type, id, query, () => false)) {
    for (const record of page) {
      const found = record[id] as string
      if ((record[createdField] as string) < since.slice(0, 19) || createdRecords.isClaimed(found, by)) continue
      const fields = hasValues(type, record, sent) ? [] : alteredFields(type, record, sent)
      if (!fields || (await isKnown(found))) continue
      if (fields.length > 0) altered.push({ record, fields })
      // Another call may have claimed it while this one was waiting.
      else if (createdRecords.claim(found, by)) {
        if (!executed) createdRecords.noteGuess(valuesKeyOf(type, sent), record[createdField] as string)
        return record
      }
    }
  }
  const [only, another] = altered
  if (!only) return undefined
  const found = only.record[id] as string
  if (executed && !another && createdRecords.claim(found, by)) return only.record
  throw new DriverError('outcome_unknown', `The ${type} ${found} may be the one that this call created, but it differs in ${only.fields.join(', ')}.`, {
    unknown: 'open',
    hint: `Look at ${found}. If it is not the one, call again with another Idempotency-Key.`,
  })
}

/** Conditions on names and ids, which a CRM stores as they are sent. Other fields it may have altered. */
function equalities(type: string, sent: StoredRecord): Condition[] {
  const { fields } = recordType(type)
  const names = namesOf(type)
  return Object.entries(sent).flatMap(([field, value]) => {
    const short = typeof value === 'string' && value.length <= 200 && value === value.trim()
    const { kind, refers } = fields[field] ?? {}
    return short && (names.includes(field) || (kind === 'id' && refers !== 'User')) ? [{ field, family: 'text' as const, operator: 'eq' as const, value }] : []
  })
}
