import { ACCESS_TYPES } from '../../contract/operations.ts'
import type { Reader, StoredRecord, StoreWriter, Writer } from '../platform.ts'
import type { Parameter } from '../sql/conditions.ts'
import { addDeltas, type Deltas } from '../sql/rollups.ts'
import { quoted, TABLES, type Table, tableFor } from '../sql/tables.ts'
import type { Connection } from './connection.ts'
import { createJournalWriter, type Heads } from './journal.ts'
import { getRecord } from './reader.ts'

export type Clock = Pick<Writer, 'birth' | 'now'>

/** What all work of one transaction shares: what it does to the counters, to be applied before the commit, and the ends of the chains. */
export interface Transaction {
  readonly deltas: Deltas
  readonly heads: Heads
}

/** What one piece of work has done. */
export interface Done {
  /** Whether anything was written that only a rollback can take back. */
  readonly touched: boolean
  /** Whether a user or key was written. */
  readonly access: boolean
  /** Whether a change was recorded. */
  readonly changes: boolean
}

/** One piece of work inside a transaction. */
export interface Work {
  readonly writer: StoreWriter
  run(sql: string, bind: readonly Parameter[]): number
  readonly done: () => Done
  /** From here on nothing can be written: it would fall into another's transaction, or into none. Throws a fault that the work has passed over. */
  end(error?: unknown): void
}

/** What the journal needs of the work it is part of. */
export interface Piece {
  run(sql: string, bind: readonly Parameter[]): number
  changed(): void
}

export function createWork(connection: Connection, reader: Reader, workspace: number, clock: Clock, { deltas, heads }: Transaction): Work {
  let changes = false
  let touched = false
  let touchedAccess = false
  let over = false
  let fault: unknown

  function run(sql: string, bind: readonly Parameter[]): number {
    if (over) throw fault ?? new Error('This write is over: it did not wait for all that it does.')
    touched = true
    try {
      return connection.run(sql, bind)
    } catch (error) {
      // The store may have rolled back by itself, so that what follows would be written on its own.
      over = true
      fault = error
      throw error
    }
  }

  function end(error?: unknown): void {
    const passedOver = error === undefined ? fault : undefined
    over = true
    fault ??= error
    if (passedOver !== undefined) throw passedOver
  }

  /** What a record's coming or going does to the record it hangs on. */
  function count(table: Table, record: StoredRecord, by: 1 | -1) {
    const { hangsOn } = table.record
    for (const parent of hangsOn ? hangsOn.types.map(tableFor) : []) {
      const total = parent.record.hanging.find((hanging) => hanging.type === table.name)?.total as string
      const changed = run(`UPDATE ${quoted(parent.name)} SET ${quoted(total)} = ${quoted(total)} + ? WHERE "Workspace" = ? AND ${quoted(parent.id)} = ?`, [
        by,
        workspace,
        record[hangsOn?.field as string] as string,
      ])
      if (changed > 0) break
    }
  }

  /** Keeps the table that user-defined fields are filtered by. */
  function indexValues(table: Table, id: string, before: StoredRecord[string] | undefined, after: StoredRecord[string] | undefined) {
    const was = new Map(Object.entries((before ?? {}) as object))
    const is = new Map(Object.entries((after ?? {}) as object))
    for (const [name, value] of was) {
      if (value !== null && is.get(name) !== value)
        run('DELETE FROM "CustomValue" WHERE "Workspace" = ? AND "ObjectID" = ? AND "FieldName" = ?', [workspace, id, name])
    }
    for (const [name, value] of is) {
      if (value !== null && was.get(name) !== value) {
        run('INSERT INTO "CustomValue" ("Workspace", "ObjectID", "FieldName", "Value") VALUES (?, ?, ?, ?)', [workspace, id, name, table.toColumn(value)])
      }
    }
  }

  function announceAccess(table: Table) {
    if (!ACCESS_TYPES.includes(table.name)) return
    touchedAccess = true
    run('UPDATE "Access" SET "Version" = "Version" + 1', [])
  }

  function add(type: string, record: StoredRecord): Table {
    const table = tableFor(type)
    run(INSERT.get(type) as string, [workspace, ...table.columns.map(({ name }) => table.toColumn(record[name]))])
    addDeltas(deltas, workspace, table.record, record, 1)
    count(table, record, 1)
    if (table.record.userDefined) indexValues(table, record[table.id] as string, undefined, record[table.record.userDefined])
    announceAccess(table)
    return table
  }

  /** Takes a record out, and leaves what hangs on it where nobody can see it. */
  function remove(type: string, id: string): StoredRecord | undefined {
    const table = tableFor(type)
    const before = getRecord(connection, workspace, table, id)
    if (!before) return undefined
    run(`DELETE FROM ${quoted(type)} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [workspace, id])
    addDeltas(deltas, workspace, table.record, before, -1)
    count(table, before, -1)
    if (table.record.userDefined) indexValues(table, id, before[table.record.userDefined], undefined)
    announceAccess(table)
    return before
  }

  const piece: Piece = {
    run,
    changed: () => {
      changes = true
    },
  }
  const writer: StoreWriter = {
    ...createJournalWriter(connection, piece, workspace, clock, heads, remove),
    get: reader.get,
    getInFull: reader.getInFull,
    find: reader.find,
    tally: reader.tally,
    firstCreated: reader.firstCreated,
    oldestNotIn: reader.oldestNotIn,
    birth: clock.birth,
    now: clock.now,

    async create(type, record) {
      add(type, record)
    },

    async restore(type, record) {
      const { name, id, record: own } = add(type, record)
      for (const { total, type: hanging } of own.hanging) {
        const field = quoted(tableFor(hanging).record.hangsOn?.field as string)
        run(
          `UPDATE ${quoted(name)} SET ${quoted(total)} = (SELECT COUNT(*) FROM ${quoted(hanging)} WHERE "Workspace" = ?1 AND ${field} = ?2) WHERE "Workspace" = ?1 AND ${quoted(id)} = ?2`,
          [workspace, record[id] as string],
        )
      }
    },

    async update(type, id, changes) {
      const table = tableFor(type)
      const before = getRecord(connection, workspace, table, id)
      if (!before) return false
      const names = Object.keys(changes)
      run(`UPDATE ${quoted(type)} SET ${names.map((name) => `${quoted(name)} = ?`).join(', ')} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [
        ...names.map((name) => table.toColumn(changes[name])),
        workspace,
        id,
      ])
      addDeltas(deltas, workspace, table.record, before, -1)
      addDeltas(deltas, workspace, table.record, { ...before, ...changes }, 1)
      const { userDefined } = table.record
      if (userDefined && changes[userDefined] !== undefined) indexValues(table, id, before[userDefined], changes[userDefined])
      announceAccess(table)
      return true
    },

    async delete(type, id) {
      return remove(type, id) !== undefined
    },
  }

  return { writer, run, done: () => ({ touched, access: touchedAccess, changes }), end }
}

const INSERT = new Map(
  [...TABLES.values()].map((table) => {
    const names = ['Workspace', ...table.columns.map(({ name }) => name)]
    return [table.name, `INSERT INTO ${quoted(table.name)} (${names.map(quoted).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`]
  }),
)

/** Brings the counters up to date with everything a transaction has done. */
export function applyDeltas(connection: Connection, deltas: Deltas): void {
  for (const { workspace, type, counter } of deltas.values()) {
    if (counter.count === 0 && counter.amounts === 0 && counter.high === 0n && counter.low === 0n) continue
    const key = [workspace, type, counter.kind, counter.owner, counter.state, counter.bucket]
    connection.run(
      `INSERT INTO "Rollup" ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket", "Count", "Amounts", "High", "Low") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET "Count" = "Count" + excluded."Count", "Amounts" = "Amounts" + excluded."Amounts", "High" = "High" + excluded."High", "Low" = "Low" + excluded."Low"`,
      [...key, counter.count, counter.amounts, counter.high, counter.low],
    )
    if (counter.count < 0) {
      connection.run(
        'DELETE FROM "Rollup" WHERE "Workspace" = ? AND "RecordType" = ? AND "Kind" = ? AND "OwnerID" = ? AND "State" = ? AND "Bucket" = ? AND "Count" = 0',
        key,
      )
    }
  }
}
