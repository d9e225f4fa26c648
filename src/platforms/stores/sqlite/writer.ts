import { changesCached } from '../../../contract/operations.ts'
import { Workspace } from '../../../contract/records/workspace.ts'
import type { OwnValues, Query, SearchQuery, StoredRecord, TallyQuery, Where } from '../../platform.ts'
import type { AuditLine, IdempotencyEntry, StoreWriter } from '../../store.ts'
import { mirrorOf } from '../mirror.ts'
import type { Parameter } from '../sql/dialect.ts'
import { changed, DELETE_OWN, hasOwn, INSERT_OWN, indexRows, mergedOwn } from '../sql/own-index.ts'
import { POSITION, PUT_POSITION, REMOVE_POSITION } from '../sql/positions.ts'
import { addDeltas, type Deltas } from '../sql/rollups.ts'
import { OWN, quoted, type Table } from '../sql/tables.ts'
import { NEXT_NUMBER } from '../sql/workspaces.ts'
import type { Connection } from './connection.ts'
import { findIdempotencyKey, putIdempotencyKey, releaseIdempotencyKey } from './idempotency-keys.ts'
import { eraseImages, recordLine, removeChildren } from './journal.ts'
import { getRecord } from './reader.ts'
import { eraseFromIndex, noteForSearch } from './search-index.ts'
import { TABLES, tableFor } from './tables.ts'
import type { Work } from './work.ts'

/** One resolved promise for all writes, which are synchronous. */
const DONE = Promise.resolve(undefined)

/** Writes one workspace inside a transaction. */
export class SqliteWriter implements StoreWriter {
  private readonly work: Work
  private readonly tableFor: (type: string) => Table
  private mirror: SqliteWriter | undefined

  constructor(work: Work) {
    this.work = work
    this.tableFor = TABLES.in(work.workspace)
  }

  get(type: string, id: string) {
    return this.work.reader.get(type, id)
  }

  getWithTotals(type: string, id: string) {
    return this.work.reader.getWithTotals(type, id)
  }

  find(type: string, query: Query) {
    return this.work.reader.find(type, query)
  }

  tally(type: string, query: TallyQuery) {
    return this.work.reader.tally(type, query)
  }

  count(type: string, where: readonly Where[]) {
    return this.work.reader.count(type, where)
  }

  firstCreated(type: string, owners: readonly string[] | undefined) {
    return this.work.reader.firstCreated(type, owners)
  }

  oldestNotIn(type: string, owners: readonly string[] | undefined, states: readonly string[]) {
    return this.work.reader.oldestNotIn(type, owners, states)
  }

  search(query: SearchQuery) {
    return this.work.reader.search(query)
  }

  getAll(type: string, ids: readonly string[]) {
    return this.work.reader.getAll(type, ids)
  }

  getForReference(type: string, id: string) {
    return this.work.reader.get(type, id)
  }

  /** Nothing to lock: writes run one after the other. */
  async lockWorkspace() {}

  async lockName() {}

  async addWorkspace(record: StoredRecord) {
    const { connection } = this.work
    if (connection.get('SELECT 1 AS one FROM "Workspace" WHERE "Name" = ?', [record.Name as string])) return undefined
    const number = connection.get(NEXT_NUMBER, [])?.number as number
    add(this.work, tableFor(Workspace.name), { ...record, Number: number })
    this.notify(number)
    return new SqliteWriter(this.work.inWorkspace(number))
  }

  inMirror() {
    this.mirror ??= new SqliteWriter(this.work.inWorkspace(mirrorOf(this.work.workspace)))
    return this.mirror
  }

  notify(workspace: number) {
    this.work.notified.add(workspace)
  }

  async pause() {
    await this.work.transaction.pause()
  }

  newId() {
    return this.work.clock.newId()
  }

  now() {
    return this.work.clock.now()
  }

  create(type: string, record: StoredRecord) {
    add(this.work, this.tableFor(type), record)
    return Promise.resolve(record)
  }

  async restore(type: string, record: StoredRecord) {
    const table = this.tableFor(type)
    add(this.work, table, record)
    recountChildren(this.work, table, record[table.id] as string)
  }

  async update(type: string, id: string, given: StoredRecord) {
    const { connection, workspace, transaction } = this.work
    const table = this.tableFor(type)
    const before = getRecord(connection, workspace, table, id)
    if (!before) return undefined
    const changes = given[OWN] === undefined ? given : { ...given, [OWN]: changeOwn(this.work, table, before, given[OWN] as OwnValues) }
    const after = changed(table, before, changes)
    const names = Object.keys(changes)
    this.work.run(`UPDATE ${quoted(type)} SET ${names.map((name) => `${quoted(name)} = ?`).join(', ')} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [
      ...names.map((name) => table.toColumn(changes[name]) ?? (table.lacks(name) ? '' : null)),
      workspace,
      id,
    ])
    addDeltas(transaction.deltas, workspace, table.record, before, -1)
    addDeltas(transaction.deltas, workspace, table.record, after, 1)
    const { userDefined } = table.record
    if (userDefined && changes[userDefined] !== undefined) indexValues(this.work, table, id, before[userDefined], changes[userDefined])
    noteForSearch(this.work, table, id, names)
    invalidateAccess(this.work, table, names)
    return after
  }

  async delete(type: string, id: string) {
    return remove(this.work, this.tableFor(type), id)
  }

  findIdempotencyKey(userId: string, key: string) {
    const entry = findIdempotencyKey(this.work, userId, key)
    return entry ? Promise.resolve(entry) : DONE
  }

  putIdempotencyKey(userId: string, key: string, entry: IdempotencyEntry) {
    putIdempotencyKey(this.work, userId, key, entry)
    return DONE
  }

  async releaseIdempotencyKey(userId: string, key: string) {
    releaseIdempotencyKey(this.work, userId, key)
  }

  appendAuditLine(line: AuditLine) {
    return Promise.resolve(recordLine(this.work, line))
  }

  async position(name: string) {
    return this.work.connection.get(POSITION, [this.work.workspace, name])?.value as string | undefined
  }

  async setPosition(name: string, value: string | null) {
    const key = [this.work.workspace, name]
    if (value === null) this.work.run(REMOVE_POSITION, key)
    else this.work.run(PUT_POSITION, [...key, value])
  }

  async erase(type: string, id: string) {
    this.work.erased = true
    remove(this.work, this.tableFor(type), id)
    eraseFromIndex(this.work, this.work.workspace, type, id)
    removeChildren(this.work, this.work.workspace, type, id)
    return eraseImages(this.work, type, id)
  }
}

function add(work: Work, table: Table, record: StoredRecord): void {
  const { columns } = table
  const row = new Array<string | number | null>(columns.length + 1)
  row[0] = work.workspace
  for (let i = 0; i < columns.length; i++) row[i + 1] = table.toColumn(record[columns[i]?.name as string]) ?? (columns[i]?.empty as null)
  work.insert(INSERT.get(table.name) as string, row)
  addDeltas(work.transaction.deltas, work.workspace, table.record, record, 1)
  if (table.record.childOf) countChild(work, table, record, 1)
  if (table.record.userDefined) indexValues(work, table, record[table.id] as string, undefined, record[table.record.userDefined])
  if (record[OWN]) indexOwn(work, table, record[table.id] as string, undefined, record[OWN] as OwnValues)
  noteForSearch(work, table, record[table.id] as string)
  invalidateAccess(work, table)
}

/** Removes a record. Its child records stay, invisible without their parent, for `restore`. */
function remove(work: Work, table: Table, id: string): boolean {
  const before = getRecord(work.connection, work.workspace, table, id)
  if (!before) return false
  indexOwn(work, table, id, ownOf(work, table, before), null)
  work.run(`DELETE FROM ${quoted(table.name)} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [work.workspace, id])
  addDeltas(work.transaction.deltas, work.workspace, table.record, before, -1)
  if (table.record.childOf) countChild(work, table, before, -1)
  if (table.record.userDefined) indexValues(work, table, id, before[table.record.userDefined], undefined)
  noteForSearch(work, table, id)
  invalidateAccess(work, table)
  return true
}

/** Updates the parent's number of child records. */
function countChild(work: Work, table: Table, record: StoredRecord, by: 1 | -1): void {
  const { childOf } = table.record
  for (const parent of childOf?.types.map(tableFor) ?? []) {
    const total = quoted(parent.record.children.find((child) => child.type === table.name)?.total as string)
    const id = record[childOf?.field as string] as string
    if (work.run(`UPDATE ${quoted(parent.name)} SET ${total} = ${total} + ? WHERE "Workspace" = ? AND ${quoted(parent.id)} = ?`, [by, work.workspace, id]) > 0)
      return
  }
}

/** Counts the child records of a record that was restored. */
function recountChildren(work: Work, table: Table, id: string): void {
  for (const { total, type } of table.record.children) {
    const field = quoted(tableFor(type).record.childOf?.field as string)
    const count = `SELECT COUNT(*) FROM ${quoted(type)} WHERE "Workspace" = ?1 AND ${field} = ?2`
    work.run(`UPDATE ${quoted(table.name)} SET ${quoted(total)} = (${count}) WHERE "Workspace" = ?1 AND ${quoted(table.id)} = ?2`, [work.workspace, id])
  }
}

/** Updates the table that indexes user-defined values. */
function indexValues(work: Work, table: Table, id: string, before: StoredRecord[string] | undefined, after: StoredRecord[string] | undefined): void {
  const was = new Map(Object.entries((before ?? {}) as object))
  const is = new Map(Object.entries((after ?? {}) as object))
  for (const [name, value] of was) {
    if (value !== null && is.get(name) !== value)
      work.run('DELETE FROM "CustomValue" WHERE "Workspace" = ? AND "ObjectID" = ? AND "FieldName" = ?', [work.workspace, id, name])
  }
  for (const [name, value] of is) {
    if (value !== null && was.get(name) !== value)
      work.insert('INSERT INTO "CustomValue" ("Workspace", "ObjectID", "FieldName", "Value") VALUES (?, ?, ?, ?)', [
        work.workspace,
        id,
        name,
        table.toColumn(value),
      ])
  }
}

/** What is stored in the fields that the workspace has defined. */
function ownOf(work: Work, table: Table, record: StoredRecord): OwnValues | undefined {
  if (!hasOwn(table, record)) return undefined
  const sql = `SELECT ${quoted(OWN)} AS own FROM ${quoted(table.name)} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`
  const own = work.connection.get(sql, [work.workspace, record[table.id] as string])?.own
  return typeof own === 'string' ? JSON.parse(own) : undefined
}

/** Changes some of them in the index, and answers with all of them. */
function changeOwn(work: Work, table: Table, record: StoredRecord, changes: OwnValues): OwnValues | null {
  const before = ownOf(work, table, record)
  const after = mergedOwn(before ?? {}, changes)
  indexOwn(work, table, record[table.id] as string, before, after)
  return after
}

/** Updates the index of the fields that the workspace has defined. */
function indexOwn(work: Work, table: Table, id: string, before: OwnValues | undefined, after: OwnValues | null): void {
  const [was, is] = [indexRows(table, before, id), indexRows(table, after, id)]
  const has = (rows: readonly Parameter[][], row: readonly Parameter[]) => rows.some((one) => one[1] === row[1] && one[2] === row[2])
  for (const row of was) if (!has(is, row)) work.run(DELETE_OWN, [work.workspace, ...row])
  for (const row of is) if (!has(was, row)) work.insert(INSERT_OWN, [work.workspace, ...row])
}

/** Invalidates cached access data in all processes when a user or API key was written. */
function invalidateAccess(work: Work, table: Table, names?: readonly string[]): void {
  if (!changesCached(table.name, names)) return
  work.access = true
  work.run('UPDATE "Access" SET "Version" = "Version" + 1', [])
}

const INSERT = new Map(
  TABLES.all.map((table) => {
    const names = ['Workspace', ...table.columns.map(({ name }) => name)]
    return [table.name, `INSERT INTO ${quoted(table.name)} (${names.map(quoted).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`]
  }),
)

/** Adds the deltas of a transaction to the counters. */
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
