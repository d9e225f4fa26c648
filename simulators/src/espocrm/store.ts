import { LateRows } from '../late-rows.ts'
import type { WireRequest, World } from '../simulated.ts'
import { Relations } from './links/relations.ts'
import type { Scope } from './scopes/definition.ts'
import { SCOPES } from './scopes/scopes.ts'

export interface Values {
  [attribute: string]: unknown
}

export interface Row {
  readonly id: string
  readonly scope: string
  /** In milliseconds. */
  readonly madeAt: number
  values: Values
  writtenAt: number
  deleted: boolean
  /** Earlier versions, while `index-lag` is on. */
  past: readonly Version[]
  /** Its index keys. */
  keys: readonly string[]
  followers: Set<string>
}

export interface Version {
  readonly values: Values
  readonly deleted: boolean
  readonly writtenAt: number
}

export interface Table {
  /** In the order of creation and of ids. */
  readonly rows: Map<string, Row>
  readonly byKey: Map<string, Set<Row>>
  live: number
  serial: number
  /** How often it was written. */
  version: number
}

export type Database = 'PostgreSQL' | 'MariaDB'

/** The data of a simulated EspoCRM. */
export class Store {
  readonly world: World
  readonly database: Database
  readonly scopes = new Map<string, Scope>()
  readonly relations = new Relations()
  readonly apiKeys = new Map<string, Row>()
  readonly passwords = new Map<string, string>()
  readonly secrets = new Map<string, string>()
  /** The present request. */
  request: WireRequest | undefined
  /** When sign-ins have failed, in milliseconds. */
  failedSignIns: number[] = []
  /** Labels of custom fields, by `Scope.field`. */
  readonly labels = new Map<string, string>()
  private readonly tables = new Map<string, Table>()
  private readonly late = new LateRows<Row>()
  private last = 0
  private micro = 0

  constructor(world: World, database: Database) {
    this.world = world
    this.database = database
    for (const scope of SCOPES) this.scopes.set(scope.name, scope)
  }

  scope(name: string): Scope {
    const scope = this.scopes.get(name)
    if (!scope) throw new Error(`There is no scope ${name}.`)
    return scope
  }

  /** Never goes back. */
  now(): number {
    this.last = Math.max(this.last, this.world.now().getTime())
    return this.last
  }

  /** The time that a write leaves in a record. */
  stamp(): string {
    return timestamp(this.world.stamp().getTime())
  }

  /** 17 hexadecimal digits like PHP's uniqid, ascending. */
  nextId(): string {
    this.micro = Math.max(this.micro + 1, this.now() * 1000)
    const seconds = Math.floor(this.micro / 1_000_000)
    const rest = Math.floor(this.world.random() * 0x10000)
    return hex(seconds, 8) + hex(this.micro % 1_000_000, 5) + hex(rest, 4)
  }

  table(scope: string): Table {
    let table = this.tables.get(scope)
    if (!table) {
      table = { rows: new Map(), byKey: new Map(), live: 0, serial: 0, version: 0 }
      this.tables.set(scope, table)
    }
    return table
  }

  get(scope: string, id: unknown): Row | undefined {
    const row = typeof id === 'string' ? this.tables.get(scope)?.rows.get(id) : undefined
    return row?.deleted ? undefined : row
  }

  add(scope: string, id: string, values: Values, keys: readonly string[]): Row {
    const table = this.table(scope)
    const now = this.now()
    const row: Row = { id, scope, madeAt: now, values, writtenAt: now, deleted: false, past: [], keys: [], followers: new Set() }
    this.late.write(id, undefined, this.showsAt)
    table.version++
    table.rows.set(id, row)
    table.live++
    this.index(row, keys)
    return row
  }

  change(row: Row, values: Values, keys: readonly string[]): void {
    this.saveVersion(row)
    row.values = values
    this.index(row, keys)
  }

  remove(row: Row, values: Values): void {
    this.saveVersion(row)
    row.values = values
    row.deleted = true
    this.table(row.scope).live--
    if (!this.lags) this.index(row, [])
  }

  restore(row: Row, keys: readonly string[]): void {
    this.saveVersion(row)
    row.deleted = false
    this.table(row.scope).live++
    this.index(row, keys)
  }

  /** Whether lists do not show some writes yet. */
  get isLate(): boolean {
    return !this.late.isEmpty
  }

  /** A record as lists show it; undefined if they do not yet. */
  shown(row: Row): Row | undefined {
    return this.late.isEmpty ? row : this.late.shown(row.id, row, this.now())
  }

  /** The records with an index key, in the order of creation. */
  found(scope: string, key: string): Iterable<Row> {
    return this.tables.get(scope)?.byKey.get(key) ?? []
  }

  customScopes(): string[] {
    return [...this.scopes.values()].filter(({ custom }) => custom).map(({ name }) => name)
  }

  counts(): { [scope: string]: number } {
    return Object.fromEntries([...this.tables].filter(([, { live }]) => live > 0).map(([name, { live }]) => [name, live]))
  }

  drop(scope: string): void {
    this.scopes.delete(scope)
    this.tables.delete(scope)
  }

  private get lags(): boolean {
    return this.world.faults.names('index-lag').length > 0
  }

  /** When lists show what the present request writes; undefined for at once. */
  private get showsAt(): number | undefined {
    const late = this.request && this.world.faults.amount('late-rows', this.request)
    return late === undefined ? undefined : this.now() + late
  }

  private saveVersion(row: Row): void {
    this.late.write(row.id, { ...row }, this.showsAt)
    this.table(row.scope).version++
    const { values, deleted, writtenAt } = row
    row.past = this.lags ? [...row.past.slice(-20), { values, deleted, writtenAt }] : []
    row.writtenAt = this.now()
  }

  private index(row: Row, keys: readonly string[]): void {
    const { byKey } = this.table(row.scope)
    for (const key of row.keys) {
      if (keys.includes(key)) continue
      const rows = byKey.get(key)
      rows?.delete(row)
      if (rows?.size === 0) byKey.delete(key)
    }
    for (const key of keys) {
      const rows = byKey.get(key)
      if (rows) rows.add(row)
      else byKey.set(key, new Set([row]))
    }
    row.keys = keys
  }
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

/** A time as EspoCRM writes it: in UTC, without a zone. */
export const timestamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
