import { expect } from 'vitest'
import { type Client, keysOf } from './clients.ts'

/** The contents of a store, read by SQL. */
export interface StoreContents {
  /** How often each idempotency key is stored, and how many changes have it. */
  readonly kept: ReadonlyMap<string, number>
  readonly changed: ReadonlyMap<string, number>
  /** Committed changes, by their id. */
  readonly lines: ReadonlyMap<string, { readonly number: number; readonly key: string | null }>
  readonly records: readonly { readonly id: string; readonly hanging: number; readonly record: Record<string, unknown> }[]
}

/** The records, idempotency keys and changes of the store are exactly those acknowledged to the clients. */
export function expectOnlyAcknowledged({ kept, changed, lines, records }: StoreContents, clients: readonly Client[]): void {
  const once = new Map(clients.flatMap(({ done }) => done.flatMap(keysOf)).map((key) => [key, 1]))
  expect(kept).toEqual(once)
  expect(changed).toEqual(once)
  for (const { done } of clients) {
    const acknowledged = done.map((sent) => (sent.changeIds ?? []).map((id, i) => ({ ...lines.get(id), sent: keysOf(sent)[i] })))
    expect(acknowledged.flat().filter(({ key, sent }) => key !== sent)).toEqual([])
    // Changes are numbered in the order of acknowledgement. In a retried batch, late writes of the first attempt may follow those of the second.
    const ordered = acknowledged.flatMap((changes, i) => (done[i]?.repeated ? [...changes].sort(byNumber) : changes))
    expect(ordered.filter((change, i) => i > 0 && byNumber(ordered[i - 1] ?? change, change) > 0)).toEqual([])
  }
  const expected = clients.flatMap(({ known }) => [...known]).flatMap(([id, { record, hanging }]) => (record ? [[id, shape(record, hanging)] as const] : []))
  expect(records.length).toBe(expected.length)
  expect(new Map(records.map(({ id, record, hanging }) => [id, shape(record, hanging)]))).toEqual(new Map(expected))
}

const byNumber = (one: { readonly number?: number }, other: { readonly number?: number }) => Number(one.number) - Number(other.number)

/** The compared fields of a record as one string: comparing a large map of objects is slow. */
function shape(record: Record<string, unknown>, hanging: number): string {
  const { Revision, UpdatedDate, Status, Stage, Amount, LastName, OpportunityName, Subject } = record
  const values = typeof record.Values === 'string' ? (JSON.parse(record.Values) as object) : (record.Values as object | undefined)
  const named = Object.entries(values ?? {}).filter(([, value]) => value !== null)
  return JSON.stringify([hanging, Revision, UpdatedDate, Status, Stage, Amount, LastName ?? OpportunityName ?? Subject, named.sort()])
}

/** Queries for the records of clients, each with its number of attachments; for SQLite and PostgreSQL. */
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

/** The keys of calls; those of batches, which only tell their ids, are no user's. */
export const KEYS_SQL = `SELECT "Key" FROM "Once" WHERE "UserID" <> '(batch)'`
export const CHANGES = `SELECT "ChangeID", "Number", "IdempotencyKey" FROM "Change" WHERE "Outcome" = 'ok'`
