import { changesCached } from '../../../contract/operations.ts'
import { Change } from '../../../contract/records/change.ts'
import { Key } from '../../../contract/records/key.ts'
import { Workspace } from '../../../contract/records/workspace.ts'
import type { Locks } from '../../../helpers/locks.ts'
import type { OwnValues, Query, Reader, SearchQuery, StoredRecord, TallyQuery, Where, Writer } from '../../platform.ts'
import type { AuditLine, IdempotencyEntry, StoreWriter } from '../../store.ts'
import { mirrorOf, workspaceBehind } from '../mirror.ts'
import type { Parameter } from '../sql/dialect.ts'
import { changed, hasOwn, indexRows, mergedOwn } from '../sql/own-index.ts'
import { POSITION, PUT_POSITION, REMOVE_POSITION } from '../sql/positions.ts'
import { hitsOf } from '../sql/search-hits.ts'
import { OWN, quoted, type Table } from '../sql/tables.ts'
import { NEXT_NUMBER } from '../sql/workspaces.ts'
import { type LookUp, lookUpIn, nameOf, putKey, releaseKey, type Seen } from './idempotency-keys.ts'
import { CUSTOM_VALUES, type Into, into, OWN_VALUES, totalsOf } from './inserts.ts'
import { Erasures, eraseImages, recordLine, removeChildren, type Sequence } from './journal.ts'
import type { Ask } from './pool.ts'
import { createReader, getRecord, getWithTotals } from './reader.ts'
import { Deltas } from './rollups.ts'
import { matches } from './search.ts'
import { eraseFromIndex, noteForSearch } from './search-index.ts'
import { sortable } from './sortable.ts'
import { TABLES, tableFor } from './tables.ts'
import type { Work } from './work.ts'

export type Clock = Pick<Writer, 'newId' | 'now'>

/** What all writes of a workspace share. */
export interface Shared {
  readonly clock: Clock
  readonly sequence: Sequence
  readonly lookUp: LookUp
  /** The lock of the workspace within this process, so that calls that wait for it do not each hold a connection. */
  readonly locks: Locks
}

/** Writes one workspace inside a transaction. */
export class PostgresWriter implements StoreWriter {
  private readonly work: Work
  private readonly workspace: number
  private readonly shared: Shared
  private readonly tableFor: (type: string) => Table
  private readonly sharedBy: (workspace: number) => Shared
  /** All writers of the transaction. */
  private readonly writers: PostgresWriter[]
  private mirror: PostgresWriter | undefined
  private readonly ask: Ask
  private readonly reader: Omit<Reader, 'search'>
  private readonly deltas = new Deltas()
  private readonly erasures = new Erasures()
  private readonly seen: Seen = new Map()
  private unlock: (() => void) | undefined
  /** The records that this transaction has locked, in their current state; undefined where there is none. */
  private readonly locked = new Map<string, StoredRecord | undefined>()

  constructor(work: Work, workspace: number, sharedBy: (workspace: number) => Shared, writers: PostgresWriter[] = []) {
    this.work = work
    this.workspace = workspace
    this.tableFor = TABLES.in(workspace)
    this.sharedBy = sharedBy
    this.shared = sharedBy(workspace)
    this.ask = (sql, bind) => work.ask(sql, bind)
    this.reader = createReader(this.ask, workspace)()
    this.writers = writers
    writers.push(this)
  }

  private inWorkspace(number: number): PostgresWriter {
    return new PostgresWriter(this.work, number, this.sharedBy, this.writers)
  }

  async get(type: string, id: string) {
    const name = nameOfRecord(type, id)
    if (!this.locked.has(name)) this.locked.set(name, await getRecord(this.ask, this.workspace, this.tableFor(type), id, ' FOR UPDATE'))
    return this.locked.get(name)
  }

  getWithTotals(type: string, id: string) {
    return getWithTotals(this.ask, this.workspace, this.tableFor(type), id, ' FOR UPDATE')
  }

  async getForReference(type: string, id: string) {
    return this.locked.get(nameOfRecord(type, id)) ?? getRecord(this.ask, this.workspace, this.tableFor(type), id, ' FOR KEY SHARE')
  }

  async lockWorkspace() {
    if (this.unlock) return
    this.unlock = await this.shared.locks.take()
    await this.ask('SELECT 1 FROM "Workspace" WHERE "Number" = ? FOR UPDATE', [workspaceBehind(this.workspace)])
  }

  async lockName(name: string) {
    await this.ask('SELECT pg_advisory_xact_lock(hashtextextended(?, ?))', [name, this.workspace])
  }

  getAll(type: string, ids: readonly string[]) {
    return this.reader.getAll(type, ids)
  }

  /** Writers that add at the same time take turns, so that no two take the same number. */
  async addWorkspace(record: StoredRecord) {
    await this.lockName(Workspace.name)
    const [taken] = await this.ask('SELECT 1 FROM "Workspace" WHERE "Name" = ?', [record.Name as string])
    if (taken) return undefined
    const number = Number((await this.ask(NEXT_NUMBER, []))[0]?.[0])
    this.add(tableFor(Workspace.name), { ...record, Number: number })
    this.work.run('INSERT INTO "Chain" ("Workspace") VALUES (?)', [number])
    return this.inWorkspace(number)
  }

  inMirror() {
    this.mirror ??= this.inWorkspace(mirrorOf(this.workspace))
    return this.mirror
  }

  notify(workspace: number) {
    this.work.notified.add(workspace)
  }

  /** Nothing to do: every write waits for the database. */
  async pause() {}

  /** Call it after the commit or rollback. */
  end(): void {
    for (const { unlock } of this.writers) unlock?.()
  }

  async find(type: string, query: Query) {
    if (type === Change.name) {
      this.work.bringForward()
      await this.shared.sequence(this.workspace)
    }
    return this.reader.find(type, query)
  }

  tally(type: string, query: TallyQuery) {
    return this.reader.tally(type, query)
  }

  count(type: string, where: readonly Where[]) {
    return this.reader.count(type, where)
  }

  firstCreated(type: string, owners: readonly string[] | undefined) {
    return this.reader.firstCreated(type, owners)
  }

  oldestNotIn(type: string, owners: readonly string[] | undefined, states: readonly string[]) {
    return this.reader.oldestNotIn(type, owners, states)
  }

  async search(query: SearchQuery) {
    return hitsOf(await matches(this.ask, this.workspace, query), query, (type, ids) => this.reader.getAll(type, ids))
  }

  newId() {
    return this.shared.clock.newId()
  }

  now() {
    return this.shared.clock.now()
  }

  async create(type: string, record: StoredRecord) {
    this.add(this.tableFor(type), record)
    return record
  }

  async restore(type: string, record: StoredRecord) {
    const table = this.tableFor(type)
    this.add(table, record)
    for (const { total, type: child } of table.record.children) {
      const field = quoted(tableFor(child).record.childOf?.field as string)
      const count = `SELECT COUNT(*) FROM ${quoted(child)} WHERE "Workspace" = ? AND ${field} = ?`
      const id = record[table.id] as string
      this.work.run(`UPDATE ${quoted(type)} SET ${quoted(total)} = (${count}) WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [
        this.workspace,
        id,
        this.workspace,
        id,
      ])
    }
  }

  async update(type: string, id: string, given: StoredRecord) {
    const table = this.tableFor(type)
    const before = await this.get(type, id)
    if (!before) return undefined
    const changes = given[OWN] === undefined ? given : { ...given, [OWN]: await this.changeOwn(table, before, given[OWN] as OwnValues) }
    const names = Object.keys(changes)
    this.work.run(`UPDATE ${quoted(type)} SET ${names.map((name) => `${quoted(name)} = ?`).join(', ')} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [
      ...names.map((name) => table.toColumn(changes[name]) ?? (table.lacks(name) ? '' : null)),
      this.workspace,
      id,
    ])
    const after = changed(table, before, changes)
    this.locked.set(nameOfRecord(type, id), after)
    this.deltas.add(table.record, before, -1)
    this.deltas.add(table.record, after, 1)
    const { userDefined } = table.record
    if (userDefined && changes[userDefined] !== undefined) this.indexValues(table, id, before[userDefined], changes[userDefined])
    this.placeKey(table, id, before, after)
    noteForSearch(this.work, this.workspace, table, id, names)
    this.noteAccess(table, names)
    return after
  }

  async delete(type: string, id: string) {
    const table = this.tableFor(type)
    const before = await this.get(type, id)
    if (!before) return false
    this.indexOwn(table, id, await this.ownOf(table, before), null)
    this.work.run(`DELETE FROM ${quoted(type)} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`, [this.workspace, id])
    this.locked.set(nameOfRecord(type, id), undefined)
    this.deltas.add(table.record, before, -1)
    if (table.record.childOf) this.countChild(table, before, -1)
    if (table.record.userDefined) this.indexValues(table, id, before[table.record.userDefined], undefined)
    this.placeKey(table, id, before, undefined)
    noteForSearch(this.work, this.workspace, table, id)
    this.noteAccess(table)
    return true
  }

  async findIdempotencyKey(userId: string, key: string) {
    // Outside of the transaction, so that concurrent lookups share a query. If another call stores the key meanwhile, `putKey` throws Overtaken.
    const lookUp = this.work.isUntouched ? this.shared.lookUp : lookUpIn(this.ask, this.workspace)
    // The answer may be in an audit line of this transaction.
    this.work.bringForward()
    const entry = await lookUp(userId, key)
    this.seen.set(nameOf(userId, key), entry?.at)
    return entry
  }

  putIdempotencyKey(userId: string, key: string, entry: IdempotencyEntry) {
    return putKey(this.work, this.workspace, userId, key, entry, this.seen)
  }

  async releaseIdempotencyKey(userId: string, key: string) {
    releaseKey(this.work, this.workspace, userId, key)
  }

  async appendAuditLine(line: AuditLine) {
    return recordLine(this.work, this.workspace, this.shared.clock.newId(), line)
  }

  async position(name: string) {
    return (await this.ask(`${POSITION} FOR UPDATE`, [this.workspace, name]))[0]?.[0] as string | undefined
  }

  async setPosition(name: string, value: string | null) {
    const key = [this.workspace, name]
    if (value === null) this.work.run(REMOVE_POSITION, key)
    else this.work.run(PUT_POSITION, [...key, value])
  }

  async erase(type: string, id: string) {
    await this.delete(type, id)
    await eraseFromIndex(this.work, this.workspace, type, id)
    removeChildren((sql, bind) => this.work.run(sql, bind), this.workspace, type, id)
    return eraseImages(this.work, this.workspace, type, id, this.erasures)
  }

  /** Queues what is written last: counters, the access version, audit lines. Call it before the commit. */
  finish(): void {
    for (const { deltas, workspace } of this.writers) deltas.writeTo(this.work, workspace)
    if (this.work.access) this.work.run(`UPDATE "Pulse" SET "Version" = "Version" + 1 WHERE "Name" = 'access'`, [])
    this.work.bringForward()
    for (const { erasures, workspace } of this.writers) erasures.writeTo(this.work, workspace)
  }

  private add(table: Table, record: StoredRecord): void {
    const id = record[table.id] as string
    this.work.add({
      into: INTO.get(table.name) as Into,
      values: [this.workspace, ...table.columns.map(({ name, empty }) => table.toColumn(record[name]) ?? empty)],
    })
    this.locked.delete(nameOfRecord(table.name, id))
    this.deltas.add(table.record, record, 1)
    if (table.record.childOf) this.countChild(table, record, 1)
    if (table.record.userDefined) this.indexValues(table, id, undefined, record[table.record.userDefined])
    if (record[OWN]) this.indexOwn(table, id, undefined, record[OWN] as OwnValues)
    this.placeKey(table, id, undefined, record)
    noteForSearch(this.work, this.workspace, table, id)
    this.noteAccess(table)
  }

  /** Updates the parent's number of child records. Ids are unique across types, so at most one of the parent types has the id. */
  private countChild(table: Table, record: StoredRecord, by: 1 | -1): void {
    const { childOf } = table.record
    const id = record[childOf?.field as string] as string
    const types = childOf?.types ?? []
    const lockedTypes = types.filter((type) => this.locked.get(nameOfRecord(type, id)))
    for (const parent of (lockedTypes.length > 0 ? lockedTypes : types).map(tableFor)) {
      this.work.add({ into: TOTALS.get(`${parent.name} ${table.name}`) as Into, values: [this.workspace, id, by] })
    }
  }

  /** Updates the table that indexes user-defined values. */
  private indexValues(table: Table, id: string, before: StoredRecord[string] | undefined, after: StoredRecord[string] | undefined): void {
    const was = new Map(Object.entries((before ?? {}) as object))
    const is = new Map(Object.entries((after ?? {}) as object))
    const removed = [...was].flatMap(([name, value]) => (value !== null && is.get(name) !== value ? [name] : []))
    const added = [...is].filter(([name, value]) => value !== null && was.get(name) !== value)
    if (removed.length > 0)
      this.work.run('DELETE FROM "CustomValue" WHERE "Workspace" = ? AND "ObjectID" = ? AND "FieldName" = ANY(CAST(? AS TEXT[]))', [
        this.workspace,
        id,
        removed,
      ])
    for (const [name, value] of added) this.work.add({ into: CUSTOM_VALUES, values: [this.workspace, id, name, sortable(table.toColumn(value))] })
  }

  /** What is stored in the fields that the workspace has defined. */
  private async ownOf(table: Table, record: StoredRecord): Promise<OwnValues | undefined> {
    if (!hasOwn(table, record)) return undefined
    const sql = `SELECT ${quoted(OWN)} FROM ${quoted(table.name)} WHERE "Workspace" = ? AND ${quoted(table.id)} = ?`
    const [row] = await this.ask(sql, [this.workspace, record[table.id] as string])
    return typeof row?.[0] === 'string' ? JSON.parse(row[0]) : undefined
  }

  /** Changes some of them in the index, and answers with all of them. */
  private async changeOwn(table: Table, record: StoredRecord, changes: OwnValues): Promise<OwnValues | null> {
    const before = await this.ownOf(table, record)
    const after = mergedOwn(before ?? {}, changes)
    this.indexOwn(table, record[table.id] as string, before, after)
    return after
  }

  /** Updates the index of the fields that the workspace has defined. */
  private indexOwn(table: Table, id: string, before: OwnValues | undefined, after: OwnValues | null): void {
    const [was, is] = [indexRows(table, before, id), indexRows(table, after, id)]
    const beyond = (rows: readonly Parameter[][], others: readonly Parameter[][]) =>
      rows.filter((row) => !others.some((one) => one[1] === row[1] && one[2] === row[2]))
    const columns = (rows: readonly Parameter[][]) => [rows.map(([, name]) => name as string), rows.map(([, , value]) => value as string)]
    const [removed, added] = [beyond(was, is), beyond(is, was)]
    if (removed.length > 0)
      this.work.run(
        'DELETE FROM "OwnValue" o USING unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[])) AS v(name, value) WHERE o."Workspace" = ? AND o."RecordType" = ? AND o."RecordID" = ? AND o."FieldName" = v.name AND o."Value" = v.value',
        [...columns(removed), this.workspace, table.name, id],
      )
    for (const values of added) this.work.add({ into: OWN_VALUES, values: [this.workspace, ...values] })
  }

  /** Updates the table in which a key is found by its digest, before its workspace is known. */
  private placeKey(table: Table, id: string, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    if (table.name !== Key.name || before?.Digest === after?.Digest) return
    if (before) this.work.run('DELETE FROM "KeyPlace" WHERE "Digest" = ?', [before.Digest as string])
    if (after) this.work.run('INSERT INTO "KeyPlace" ("Digest", "Workspace", "KeyID") VALUES (?, ?, ?)', [after.Digest as string, this.workspace, id])
  }

  private noteAccess({ name }: Table, names?: readonly string[]): void {
    if (changesCached(name, names)) this.work.access = true
  }
}

const nameOfRecord = (type: string, id: string) => `${type} ${id}`

const INTO = new Map(
  TABLES.all.map((table) => [table.name, into(table.name, [['Workspace', 'INTEGER'], ...table.columns.map(({ name, type }) => [name, type] as const)])]),
)

const TOTALS = new Map(TABLES.all.flatMap(({ name, id, record }) => record.children.map(({ type, total }) => [`${name} ${type}`, totalsOf(name, id, total)])))
