import { recordType } from '../../../contract/operations.ts'
import type { AuditLine, EventQuery, JournalReader, StoredEvent } from '../../store.ts'
import { ANNOUNCED, CHAINED, columnsAs, LINE_COLUMNS } from '../sql/audit-columns.ts'
import { type Link, START } from '../sql/chain.ts'
import type { Parameter } from '../sql/dialect.ts'
import { MOVE_RECORD, moveIfOther, presentOwner } from '../sql/line-owners.ts'
import { rowOf, SEARCHED } from '../sql/lines.ts'
import { IMAGE_BYTES } from '../sql/page-bytes.ts'
import { POSITION } from '../sql/positions.ts'
import { quoted } from '../sql/tables.ts'
import { anyRecord, verifyChain } from '../sql/verify.ts'
import { lookUpIn } from './idempotency-keys.ts'
import { allInto } from './inserts.ts'
import { withinBytes } from './page-bytes.ts'
import { type Ask, named } from './pool.ts'
import { schemaFaults } from './schema-check.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

/** Gives every change that is committed its number. */
export type Sequence = (workspace: number) => Promise<void>

/** Adds a line to the audit. It has no number yet: which of two comes first is only known once both are committed. */
export function recordLine(work: Work, workspace: number, stamp: { readonly id: string; readonly at: string }, line: AuditLine): string {
  work.addLast({ into: CHANGES, values: [workspace, ...rowOf(stamp, line)] })
  const moving = [workspace, line.recordId, line.owner]
  if (line.moved) work.run(MOVE_RECORD, moving)
  else if (line.mapped) work.run(MOVE_IF_OTHER, [...moving, ...moving])
  work.changes = true
  return stamp.id
}

const MOVE_IF_OTHER = moveIfOther()

const CHANGES = allInto('Change', [['Workspace', 'INTEGER'], ...LINE_COLUMNS.map((name) => [name, name === 'Count' ? 'DOUBLE PRECISION' : 'TEXT'] as const)])

/**
 * The erasure of images in lines that were there before the transaction. It comes last: numbering waits for it, and a transaction may itself
 * wait for numbering. Both lock the chain first, so that they cannot deadlock.
 */
export class Erasures {
  private readonly records: (readonly [recordId: string, type: string])[] = []

  add(type: string, recordId: string): void {
    this.records.push([recordId, type])
  }

  writeTo(work: Work, workspace: number): void {
    if (this.records.length === 0) return
    work.run('SELECT 1 FROM "Chain" WHERE "Workspace" = ? FOR UPDATE', [workspace])
    for (const record of this.records) work.run(`UPDATE "Change" SET "Before" = NULL, "After" = NULL, "Salt" = NULL WHERE ${IMAGES_OF}`, [workspace, ...record])
  }
}

const IMAGES_OF = '"Workspace" = ? AND "RecordID" = ? AND "RecordType" = ? AND "Salt" IS NOT NULL'

/** Erases every image of a record, in its changes and in the stored answers to them. Resolves to how many lines had one. */
export async function eraseImages(work: Work, workspace: number, type: string, recordId: string, erasures: Erasures): Promise<number> {
  work.run(
    `UPDATE "Once" o SET "Answer" = NULL FROM "Change" c WHERE o."Workspace" = ? AND c."Workspace" = ? AND c."RecordID" = ? AND c."RecordType" = ? AND o."UserID" = c."UserID" AND o."Key" = c."IdempotencyKey" AND o."ChangeID" = c."ChangeID"`,
    [workspace, workspace, recordId, type],
  )
  erasures.add(type, recordId)
  work.bringForward()
  const [row] = await work.ask(`SELECT COUNT(*) FROM "Change" WHERE ${IMAGES_OF}`, [workspace, recordId, type])
  return row?.[0] as number
}

/** Deletes the child records of a record, also of one that was deleted before. */
export function removeChildren(run: (sql: string, bind: readonly Parameter[]) => unknown, workspace: number, type: string, id: string): void {
  for (const { record } of recordType(type).children.map((child) => tableFor(child.type)))
    run(`DELETE FROM ${quoted(record.name)} WHERE "Workspace" = ? AND ${quoted(record.childOf?.field as string)} = ?`, [workspace, id])
}

/** Both ends of a chain: what the oldest stored change follows, and the newest that has its number. */
async function endsOf(ask: Ask, workspace: number): Promise<{ readonly beginning: Link; readonly head: Link }> {
  const [row] = await ask('SELECT "Number", "Seal", "HeadNumber", "HeadSeal" FROM "Chain" WHERE "Workspace" = ?', [workspace])
  if (!row) return { beginning: START, head: START }
  const [number, seal, headNumber, headSeal] = row as [number, string, number, string]
  return { beginning: { number, seal }, head: { number: headNumber, seal: headSeal } }
}

/** Reads one workspace's journal. What was committed before a call has its number in the answer. */
export function createJournalReader(ask: Ask, workspace: number, sequence: Sequence): JournalReader {
  return {
    findIdempotencyKey: lookUpIn(ask, workspace),

    async events(query) {
      await sequence(workspace)
      return events(query)
    },

    async span() {
      await sequence(workspace)
      const { beginning, head } = await endsOf(ask, workspace)
      return { released: beginning.number, newest: head.number }
    },

    async position(name) {
      return (await ask(POSITION, [workspace, name]))[0]?.[0] as string | undefined
    },

    async verify(options) {
      await sequence(workspace)
      const any = anyRecord(workspace)
      const report = await verifyChain({
        ...options,
        workspace,
        sealsAtOnce: false,
        beginning: async () => (await endsOf(ask, workspace)).beginning,
        lines: async ({ number, changeId }, limit) => (await ask(LINES, [workspace, number, changeId, limit])).map(named(CHAINED)),
        erased: async (recordId, after) =>
          (
            await ask(
              `SELECT 1 FROM "Change" WHERE "Workspace" = ? AND "RecordID" = ? AND "Operation" = 'erase_record' AND "Outcome" = 'ok' AND "Number" > ? LIMIT 1`,
              [workspace, recordId, after],
            )
          ).length > 0,
        unsealed: async () => Number((await ask('SELECT COUNT(*) FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL', [workspace]))[0]?.[0]),
        hasRecords: async () => (await ask(any.sql, any.bind)).length > 0,
      })
      const altered = (await schemaFaults((sql) => ask(sql, []))).map(({ message }) => ({ number: report.head.number, changeId: null, fault: message }))
      return { ...report, faults: [...altered, ...report.faults] }
    },
  }

  async function events({ after, limit, eventTypes, owners }: EventQuery) {
    const { head } = await endsOf(ask, workspace)
    const upTo = Math.min(head.number, after + SEARCHED)
    const mine = owners ? ` AND ${presentOwner('t')} = ANY(CAST(? AS TEXT[]))` : ''
    const columns = `${columnsAs(ANNOUNCED)}, ${presentOwner('t')} AS "owner"`
    const matches = `FROM "Change" t WHERE "Workspace" = ? AND "Number" > ? AND "Number" <= ?
        AND "EventType" = ANY(CAST(? AS TEXT[]))${mine} ORDER BY "Number" NULLS FIRST LIMIT ?`
    const rows = await ask(withinBytes(columns, IMAGE_BYTES, matches), [workspace, after, upTo, eventTypes, ...(owners ? [owners] : []), limit])
    const events = rows.map(named([...ANNOUNCED, 'owner'])) as unknown as StoredEvent[]
    const isCut = events.length === limit || events.length < Number(rows[0]?.at(-1) ?? 0)
    return { events, upTo: isCut ? (events.at(-1)?.number as number) : Math.max(after, upTo) }
  }
}

const LINES = `SELECT ${columnsAs(CHAINED)} FROM "Change" WHERE "Workspace" = ? AND ("Number", "ChangeID") > (?, ?) ORDER BY "Number" NULLS FIRST, "ChangeID" LIMIT ?`
