import { recordType } from '../../../contract/operations.ts'
import type { Condition, StoredRecord } from '../../platform.ts'
import type { Account } from './account.ts'
import { DriverError } from './errors.ts'
import { rowsOf } from './rows.ts'

/** Fields that every write sets by itself. */
const OWN: ReadonlySet<string> = new Set(['UpdatedDate', 'Revision'])

/** Whether a record has the values that were sent, in as far as a CRM leaves values as they are: it may cut blanks off and round moments. */
export function holds(type: string, record: StoredRecord, sent: StoredRecord): boolean {
  const { id, createdField: born } = recordType(type)
  return Object.entries(sent).every(([field, value]) => field === id || field === born || OWN.has(field) || alike(record[field], value))
}

function alike(a: unknown, b: unknown): boolean {
  if (isBlank(a) && isBlank(b)) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a))
  if (typeof a === 'string' && typeof b === 'string') return plain(a) === plain(b) || isSameNumber(a, b)
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null)
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => alike(Reflect.get(a, name), Reflect.get(b, name)))
  return a === b
}

/** A box that is not ticked and a field without a value are the same to some. */
const isBlank = (value: unknown) => value === null || value === undefined || value === false || (typeof value === 'string' && value.trim() === '')

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/

function plain(text: string): string {
  return (MOMENT.exec(text)?.[0] ?? text).replaceAll('\r\n', '\n').trim().toLowerCase()
}

const PHONE = /^\+?[\d\s()./-]+$/
const FEWEST_DIGITS = 6

/** Some write telephone numbers in a way of their own, with or without the country. */
export function isSameNumber(a: string, b: string): boolean {
  if (!PHONE.test(a) || !PHONE.test(b)) return false
  const [short = '', long = ''] = [a, b].map((text) => text.replace(/\D/g, '').replace(/^0+/, '')).sort((one, other) => one.length - other.length)
  return short.length >= FEWEST_DIGITS && long.endsWith(short)
}

/** The texts that a record of a type cannot be without, and that people know it by. */
function namesOf(type: string): string[] {
  return Object.entries(recordType(type).fields).flatMap(([name, { kind, required }]) => (required && kind === 'text' && name !== 'ObjectName' ? [name] : []))
}

/** What records have in common that are called the same. */
export function kinshipOf(type: string, sent: StoredRecord): string {
  return JSON.stringify([type, sent.ObjectName, ...namesOf(type).map((name) => plain(String(sent[name] ?? '')))])
}

/** Which of the fields that were sent have other values now, if a record could still be what was sent: a CRM may have rules of its own that alter some. */
function alteredIn(type: string, record: StoredRecord, sent: StoredRecord): string[] | undefined {
  const names = namesOf(type)
  const [here, there] = recordType(type).userDefined ? [sent.Values, record.Values] : [sent, record]
  const own = [...OWN, recordType(type).id, recordType(type).createdField]
  const fields = Object.keys(Object(here)).filter((field) => !own.includes(field))
  const altered = fields.filter((field) => !alike(Reflect.get(Object(there), field), Reflect.get(Object(here), field)))
  const known = names.length > 0 ? names.every((name) => !altered.includes(name)) : recordType(type).userDefined && altered.length * 2 < fields.length
  return known ? altered : undefined
}

export interface Lost {
  readonly type: string
  readonly sent: StoredRecord
  /** Nothing that was created before counts. */
  readonly since: string
  readonly on: string | undefined
  /** Whether the CRM said that it was carried out. */
  readonly done: boolean
  isKnown(id: string): Promise<boolean>
}

/**
 * The record that a call has made whose end nobody saw: one that has the values it sent and that no other call has made. Where there is none,
 * but one that the CRM may have altered, only a call that is known to have made one may take it for its own; for others nobody can tell.
 */
export async function lookFor(account: Account, { type, sent, since, on, done, isKnown }: Lost): Promise<StoredRecord | undefined> {
  const { wire, births } = account
  const { id, createdField: born, hidesId } = recordType(type)
  if (hidesId) return (await wire.get(type, [sent[id] as string]))[0]
  await births.quiet(kinshipOf(type, sent))
  const where: Condition[] = [{ field: born, family: 'timestamp', operator: 'gte', value: since }, ...equalities(type, sent)]
  const asked = {
    where: where.filter((condition) => wire.narrows(type, condition) !== 'not'),
    size: wire.supports.page,
    ...(on !== undefined && { on }),
    ...(typeof sent.ObjectName === 'string' && { object: sent.ObjectName }),
  }
  const altered: { readonly record: StoredRecord; readonly fields: readonly string[] }[] = []
  for await (const page of rowsOf(wire, type, id, asked, () => false)) {
    for (const record of page) {
      const found = record[id] as string
      if ((record[born] as string) < since.slice(0, 19) || births.has(found)) continue
      const fields = holds(type, record, sent) ? [] : alteredIn(type, record, sent)
      if (!fields || (await isKnown(found))) continue
      if (fields.length > 0) altered.push({ record, fields })
      // Somebody else may have looked meanwhile.
      else if (births.claim(found)) return record
    }
  }
  const [only, another] = altered
  if (!only) return undefined
  const found = only.record[id] as string
  if (done && !another && births.claim(found)) return only.record
  throw new DriverError('outcome_unknown', `A ${type} was created meanwhile that may be this one, but it differs in ${only.fields.join(', ')}: ${found}.`, {
    unknown: 'open',
    hint: `Look at ${found}. If it is not the one, ask again with another Idempotency-Key.`,
  })
}

/** What narrows the search, as the CRM understands it: what records are called, and ids. Anything else it may have altered. */
function equalities(type: string, sent: StoredRecord): Condition[] {
  const { fields } = recordType(type)
  const names = namesOf(type)
  return Object.entries(sent).flatMap(([field, value]) => {
    const short = typeof value === 'string' && value.length <= 200 && value === value.trim()
    const { kind, refers } = fields[field] ?? {}
    return short && (names.includes(field) || (kind === 'id' && refers !== 'User')) ? [{ field, family: 'text' as const, operator: 'eq' as const, value }] : []
  })
}
