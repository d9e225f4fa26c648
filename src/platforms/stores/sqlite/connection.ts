import type { Parameter } from '../sql/dialect.ts'

export type Driver = typeof import('@photostructure/sqlite')
type Database = InstanceType<Driver['DatabaseSync']>
type Statement = ReturnType<Database['prepare']>

/** Node 24 has SQLite built in; below, the same API comes from a package. */
export async function sqliteDriver(): Promise<Driver> {
  const major = Number(process.versions.node.split('.')[0])
  return major >= 24 ? ((await import('node:sqlite' as string)) as Driver) : import('@photostructure/sqlite')
}

export type Row = Record<string, unknown>

/** A connection that prepares each statement once. */
export interface Connection {
  readonly database: Database
  /** The first error by which SQLite reported that the file is damaged. Later ones throw the same object, so that a log can tell that it has it already. */
  readonly damage: () => unknown
  exec(sql: string): void
  get(sql: string, bind: readonly Parameter[]): Row | undefined
  all(sql: string, bind: readonly Parameter[]): Row[]
  /** Another number after each commit of another connection, in this process or another; only where reads share snapshots. */
  version?(): number
  /** Runs work whose statements are ended (`isTooLong`) when they take longer than this, if they contain TICK. */
  briefly<T>(ms: number, work: () => T): T
  /** How many rows changed. */
  run(sql: string, bind: readonly Parameter[] | readonly (Parameter | bigint)[]): number
  close(): void
}

/**
 * A condition that is always true, by which a statement that may read many rows can be interrupted. It stands first, so that it is evaluated
 * for rows that do not match, too. The function is called for some of the rows only, since calling it costs more than reading one.
 */
export const TICK = '((random() & 63) OR tick())'

/** The function that reads a number of JSON. */
export const EXACT = 'exact_number'

const TOO_LONG = 'The statement takes too long to run here.'

/** Whether a statement was ended by `briefly`. The driver passes on the message of an error, not always the error. */
export const isTooLong = (error: unknown) => (error as Error).message === TOO_LONG

export const DURABLE = ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = OFF', 'temp_store = MEMORY', 'trusted_schema = OFF']
export const READING = ['busy_timeout = 5000', ...DURABLE, 'cache_size = -32768', 'query_only = ON']

/** How many prepared statements are cached; the least recently used is dropped first. */
const CACHED_STATEMENTS = 500

/** A database must stay referenced as long as its statements live, or the process can crash when it is collected. */
const open = new Set<Database>()

/** Opens a connection. `interrupt` is called now and then while a statement with TICK runs, and ends it by throwing. */
export function connect(driver: Driver, path: string, pragmas: readonly string[], interrupt?: () => void): Connection {
  const database = new driver.DatabaseSync(path)
  open.add(database)
  let until = Number.POSITIVE_INFINITY
  database.function('tick', () => {
    interrupt?.()
    if (performance.now() > until) throw new Error(TOO_LONG)
    return 1
  })
  // SQLite does not read every number in JSON back exactly.
  database.function(EXACT, { deterministic: true }, (json: unknown) => (json === null ? null : Number(json)))
  const statements = new Map<string, Statement>()

  function prepared(sql: string): Statement {
    let statement = statements.get(sql)
    if (statement) {
      if (statements.size > CACHED_STATEMENTS / 2) {
        statements.delete(sql)
        statements.set(sql, statement)
      }
      return statement
    }
    if (statements.size >= CACHED_STATEMENTS) statements.delete(statements.keys().next().value as string)
    statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  let damage: unknown

  function noticing<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!isDamage(error)) throw error
      damage ??= error
      throw damage
    }
  }

  const connection: Connection = {
    database,
    damage: () => damage,
    exec: (sql) => noticing(() => database.exec(sql)),
    get: (sql, bind) => noticing(() => prepared(sql).get(...bind) as Row | undefined),
    all: (sql, bind) => noticing(() => prepared(sql).all(...bind) as Row[]),
    briefly(ms, work) {
      until = performance.now() + ms
      try {
        return work()
      } finally {
        until = Number.POSITIVE_INFINITY
      }
    },
    run: (sql, bind) => noticing(() => Number(prepared(sql).run(...bind).changes)),
    close() {
      statements.clear()
      database.close()
      open.delete(database)
    },
  }
  return orClosed(connection, () => setPragmas(connection, pragmas))
}

export function setPragmas(connection: Connection, pragmas: readonly string[]): void {
  for (const pragma of pragmas) connection.exec(`PRAGMA ${pragma}`)
}

/** The connection once it is ready; it does not stay open when it cannot be made so. */
export function orClosed(connection: Connection, ready: () => void): Connection {
  try {
    ready()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** SQLite's own number for what went wrong, without the detail in its upper bits. */
export function sqliteCode(error: unknown): number | undefined {
  const { errcode, code, message } = Object(error) as { errcode?: unknown; code?: unknown; message?: string }
  if (typeof errcode === 'number') return errcode & 0xff
  return code === 'ERR_SQLITE_ERROR' ? BY_MESSAGE[message ?? ''] : undefined
}

/** Below Node 24 the driver leaves the number out where preparing a statement fails. These are SQLite's own texts. */
const BY_MESSAGE: { readonly [message: string]: number } = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
}

export const BUSY = 5
export const NOT_A_DATABASE = 26
const CORRUPT = 11

/** Whether SQLite found the file damaged, as opposed to a disk that does not answer. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CORRUPT || code === NOT_A_DATABASE
}
