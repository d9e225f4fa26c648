import { CHAINED, columnsAs } from '../../platforms/stores/sql/audit-columns.ts'
import { type Link, START } from '../../platforms/stores/sql/chain.ts'
import type { Parameter } from '../../platforms/stores/sql/dialect.ts'
import { anyRecord, verifyChain } from '../../platforms/stores/sql/verify.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { findingsIn } from './findings.ts'

/** Runs a query on a store of either kind. */
export type AskStore = (sql: string, bind: readonly Parameter[]) => Promise<readonly Record<string, unknown>[]>

/** How many of the newest lines are verified without --deep. */
const TAIL = 1000

/** Verifies the audit chain of each workspace: its newest lines, or with `deep` all of it. */
export async function* auditFindings(area: string, ask: AskStore, deep: boolean): AsyncGenerator<Finding> {
  const { good, bad } = findingsIn(area)
  for (const workspace of await ask('SELECT "Number" AS number, "Name" AS name FROM "Workspace" ORDER BY "Number"', [])) {
    const { lines, faults, unsealed } = await verifyTail(ask, workspace.number as number, deep)
    const name = `Audit of ${workspace.name}`
    const waiting = unsealed > 0 ? `, ${unsealed} still to be sealed` : ''
    yield faults.length === 0
      ? good(name, `${deep ? '' : 'the last '}${lines.toLocaleString('en')} ${lines === 1 ? 'line verifies' : 'lines verify'}${waiting}`)
      : bad(
          name,
          `Line ${faults[0]?.number}: ${faults[0]?.fault}`,
          'conflict',
          'Run crm audit verify to check all lines, and compare with a backup to see what was changed.',
        )
  }
}

async function verifyTail(ask: AskStore, workspace: number, deep: boolean) {
  const one = async (sql: string, bind: readonly Parameter[]) => (await ask(sql, bind))[0]
  const head = await one('SELECT MAX("Number") AS number FROM "Change" WHERE "Workspace" = ?', [workspace])
  const from = deep ? 0 : Number(head?.number ?? 0) - TAIL
  const line =
    from > 0 ? await one('SELECT "Number" AS number, "Seal" AS seal FROM "Change" WHERE "Workspace" = ? AND "Number" = ?', [workspace, from]) : undefined
  const link = line ?? (await one('SELECT "Number" AS number, "Seal" AS seal FROM "Chain" WHERE "Workspace" = ?', [workspace]))
  const beginning = (link as unknown as Link | undefined) ?? START
  const any = anyRecord(workspace)
  return verifyChain({
    workspace,
    sealsAtOnce: false,
    beginning: async () => beginning,
    lines: ({ number, changeId }, limit) => ask(LINES, [workspace, ...(number < beginning.number ? [beginning.number, '\uffff'] : [number, changeId]), limit]),
    erased: async (recordId, after) =>
      (await one(
        `SELECT 1 AS one FROM "Change" WHERE "Workspace" = ? AND "RecordID" = ? AND "Operation" = 'erase_record' AND "Outcome" = 'ok' AND "Number" > ?`,
        [workspace, recordId, after],
      )) !== undefined,
    unsealed: async () => Number((await one('SELECT COUNT(*) AS n FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL', [workspace]))?.n),
    hasRecords: async () => (await one(any.sql, any.bind)) !== undefined,
  })
}

const LINES = `SELECT ${columnsAs(CHAINED)} FROM "Change" WHERE "Workspace" = ? AND ("Number", "ChangeID") > (?, ?) ORDER BY "Number", "ChangeID" LIMIT ?`
