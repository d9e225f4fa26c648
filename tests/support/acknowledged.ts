import { expect } from 'vitest'
import { type Client, keysOf } from './clients.ts'

/** What a store holds, however it was read. */
export interface StoreContents {
  /** How often each idempotency key is kept, and how many changes were made with it. */
  readonly kept: ReadonlyMap<string, number>
  readonly changed: ReadonlyMap<string, number>
  /** Changes that were made, by their id. */
  readonly lines: ReadonlyMap<string, { readonly number: number; readonly key: string | null }>
  readonly records: readonly { readonly id: string; readonly hanging: number; readonly record: Record<string, unknown> }[]
}

/** The records, keys and changes are those that the clients know of, and no others. */
export function expectOnlyAcknowledged({ kept, changed, lines, records }: StoreContents, clients: readonly Client[]): void {
  const once = new Map(clients.flatMap(({ done }) => done.flatMap(keysOf)).map((key) => [key, 1]))
  expect(kept).toEqual(once)
  expect(changed).toEqual(once)
  for (const { done } of clients) {
    const acknowledged = done.map((sent) => (sent.changeIds ?? []).map((id, i) => ({ ...lines.get(id), sent: keysOf(sent)[i] })))
    expect(acknowledged.flat().filter(({ key, sent }) => key !== sent)).toEqual([])
    // What was acknowledged first comes first; of a batch that was sent twice, what the first did late may come after what the second did.
    const ordered = acknowledged.flatMap((changes, i) => (done[i]?.repeated ? [...changes].sort(byNumber) : changes))
    expect(ordered.filter((change, i) => i > 0 && byNumber(ordered[i - 1] ?? change, change) > 0)).toEqual([])
  }
  const expected = clients.flatMap(({ known }) => [...known]).flatMap(([id, { record, hanging }]) => (record ? [[id, shape(record, hanging)] as const] : []))
  expect(records.length).toBe(expected.length)
  expect(new Map(records.map(({ id, record, hanging }) => [id, shape(record, hanging)]))).toEqual(new Map(expected))
}

const byNumber = (one: { readonly number?: number }, other: { readonly number?: number }) => Number(one.number) - Number(other.number)

/** What is compared of a record, as one text: a map of many objects takes long to compare. */
function shape(record: Record<string, unknown>, hanging: number): string {
  const { Revision, UpdatedDate, Status, Stage, Amount, LastName, OpportunityName, Subject } = record
  const values = typeof record.Values === 'string' ? (JSON.parse(record.Values) as object) : (record.Values as object | undefined)
  const named = Object.entries(values ?? {}).filter(([, value]) => value !== null)
  return JSON.stringify([hanging, Revision, UpdatedDate, Status, Stage, Amount, LastName ?? OpportunityName ?? Subject, named.sort()])
}

/** How the records that clients make are found, with how many things hang on each; in the SQL of any store. */
export const RECORDS = [
  'SELECT *, "LeadID" AS id, "NotesTotal" AS hanging FROM "Lead"',
  'SELECT *, "OpportunityID" AS id, "NotesTotal" AS hanging FROM "Opportunity"',
  'SELECT *, "CaseID" AS id, "CommentsTotal" AS hanging FROM "Case"',
  'SELECT *, "ObjectID" AS id, 0 AS hanging FROM "CustomObject"',
]

type Row = Record<string, unknown>

export function contentsOf(rows: { readonly kept: readonly Row[]; readonly changes: readonly Row[]; readonly records: readonly Row[] }): StoreContents {
  const counted = (keys: readonly unknown[]) => {
    const counts = new Map<string, number>()
    for (const key of keys as readonly string[]) counts.set(key, (counts.get(key) ?? 0) + 1)
    return counts
  }
  return {
    kept: counted(rows.kept.map(({ Key }) => Key)),
    changed: counted(rows.changes.flatMap(({ IdempotencyKey }) => (IdempotencyKey === null ? [] : [IdempotencyKey]))),
    lines: new Map(
      rows.changes.map(({ ChangeID, Number: number, IdempotencyKey }) => [ChangeID as string, { number: number as number, key: IdempotencyKey as string }]),
    ),
    records: rows.records.map(({ id, hanging, ...record }) => ({ id: id as string, hanging: Number(hanging), record })),
  }
}

export const KEYS_SQL = 'SELECT "Key" FROM "Once"'
export const CHANGES = `SELECT "ChangeID", "Number", "IdempotencyKey" FROM "Change" WHERE "Outcome" = 'ok'`
