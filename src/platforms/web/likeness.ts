import { recordType } from '../../contract/operations.ts'
import type { Condition, StoredRecord } from '../platform.ts'
import type { Account } from './account.ts'
import { likenessOf } from './births.ts'
import { rowsOf } from './rows.ts'

/** Fields that every write sets by itself. */
const OWN: ReadonlySet<string> = new Set(['UpdatedDate', 'Revision'])

/** Whether a record has the values that were sent, in as far as a CRM leaves values as they are: it may cut blanks off and round moments. */
export function holds(type: string, record: StoredRecord, sent: StoredRecord): boolean {
  const { id, born } = recordType(type)
  return Object.entries(sent).every(([field, value]) => field === id || field === born || OWN.has(field) || alike(record[field], value))
}

function alike(a: unknown, b: unknown): boolean {
  if (isBlank(a) && isBlank(b)) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a))
  if (typeof a === 'string' && typeof b === 'string') return plain(a) === plain(b)
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

export interface Lost {
  readonly type: string
  readonly sent: StoredRecord
  /** Nothing that was created before counts. */
  readonly since: string
  readonly on: string | undefined
  isKnown(id: string): Promise<boolean>
}

/** The record that a call has made whose end nobody saw: one that has the values it sent and that no other call has made. */
export async function lookFor(account: Account, { type, sent, since, on, isKnown }: Lost): Promise<StoredRecord | undefined> {
  const { wire, births } = account
  const { id, born, hidesId } = recordType(type)
  if (hidesId) return (await wire.get(type, [sent[id] as string]))[0]
  const likeness = likenessOf(type, sent)
  await births.quiet(likeness)
  const where: Condition[] = [{ field: born, family: 'timestamp', operator: 'gte', value: since }, ...equalities(type, sent)]
  const asked = {
    where: where.filter((condition) => wire.narrows(type, condition) !== 'not'),
    size: wire.supports.page,
    ...(on !== undefined && { on }),
    ...(typeof sent.ObjectName === 'string' && { object: sent.ObjectName }),
  }
  for await (const page of rowsOf(wire, type, id, asked, () => false)) {
    for (const record of page) {
      const found = record[id] as string
      if ((record[born] as string) < since.slice(0, 19) || births.has(found) || !holds(type, record, sent) || (await isKnown(found))) continue
      // Somebody else may have looked meanwhile.
      if (births.claim(found)) return record
    }
  }
  return undefined
}

/** What narrows the search, as the CRM understands it: texts and ids by themselves. */
function equalities(type: string, sent: StoredRecord): Condition[] {
  const { fields } = recordType(type)
  return Object.entries(sent).flatMap(([field, value]) => {
    const kind = fields[field]?.kind
    const short = typeof value === 'string' && value.length <= 200 && value === value.trim()
    return short && (kind === 'text' || kind === 'id') ? [{ field, family: 'text' as const, operator: 'eq' as const, value }] : []
  })
}
