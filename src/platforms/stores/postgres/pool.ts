import type { Socket } from 'node:net'
import pg from 'pg'
import type { Parameter } from '../sql/dialect.ts'
import type { Address } from './address.ts'
import { isLost, isRefusal, knownFault, stateOf } from './errors.ts'
import { Prepared } from './statements.ts'

export type Rows = readonly (readonly unknown[])[]

/** Runs a query and resolves to its rows. */
export type Ask = (sql: string, bind: readonly Parameter[]) => Promise<Rows>

/** Turns a row into an object with these members. */
export const named = (members: readonly string[]) => (row: readonly unknown[]) => Object.fromEntries(members.map((member, i) => [member, row[i]]))

export interface Answer {
  readonly rows: Rows
  /** How many rows were written. */
  readonly count: number
  /** The command tag: a COMMIT of a failed transaction is answered with ROLLBACK. */
  readonly command: string
}

/** A connection that is reserved for one caller. Statements are pipelined: sent at once, answered in order. */
export interface Session {
  query(sql: string, bind?: readonly Parameter[]): Promise<Answer>
  /** Ends the running statement. Behind a pooler, which hides the server's process, it runs on. */
  interrupt(): Promise<void>
  /** Returns the connection to the pool, or closes it after an error that it does not survive. */
  release(error?: unknown): void
}

export interface Pool {
  session(): Promise<Session>
  /** Runs one statement in a transaction of its own. */
  query(sql: string, bind?: readonly Parameter[]): Promise<Answer>
  /** Like `query`, for statements that may be repeated: retried once when the connection was lost. The signal ends the statement. */
  read(sql: string, bind: readonly Parameter[], signal?: AbortSignal): Promise<Rows>
  /** Whether a pooler such as PgBouncer is in between, which may give each transaction another connection. */
  isPooled(): boolean
  close(): Promise<void>
}

const BIGINT = 20
/** BIGINT columns hold counters and versions, far below 2 ** 53. */
const PARSERS = { getTypeParser: (type: number, format?: 'text') => (type === BIGINT ? Number : pg.types.getTypeParser(type, format)) } as pg.CustomTypesConfig

/** The server ends a transaction that is idle for so long: its process may have died. */
const IDLE_MS = 60_000
/** High, so that parallel workers are started only for queries over very many rows: most queries take less time than their start. */
const PARALLEL_SETUP_COST = 10_000
/** The oldest supported server version. */
const OLDEST = 140_000

/** The server cannot hold a store: its version or its encoding. */
export class WrongServer extends Error {}

const READ_ONLY = '25006'
class ReadOnly extends Error {
  readonly code = READ_ONLY
}

/** The hosts of an address, and which of them is current. */
export function createHosts({ hosts }: Pick<Address, 'hosts'>) {
  const left = new Map<string, number>()
  const listeners = new Set<() => void>()
  let at = 0

  /** Moves on to the next host, unless another caller has done so already. */
  function failed(host: string): void {
    if (host === hosts[at]) at = (at + 1) % hosts.length
  }

  return {
    count: hosts.length,
    current: () => hosts[at] as string,
    failed,
    /** The host has become read-only, so another is the primary now: connections to it are closed, since their reads become stale. */
    leave(host: string): void {
      left.set(host, (left.get(host) ?? 0) + 1)
      failed(host)
      for (const listener of listeners) listener()
    },
    onLeave: (listener: () => void) => listeners.add(listener),
    timesLeft: (host: string) => left.get(host) ?? 0,
  }
}

export type Hosts = ReturnType<typeof createHosts>

/** How long a server may take to close a connection. */
const CLOSE_MS = 500

interface HostConnection {
  readonly prepared: Prepared
  deallocate(name: string): void
  /** The host that it is connected to, which may no longer be the current one. */
  readonly connectedTo: string
  /** False once its host has become read-only. */
  readonly isUsable: boolean
}

/** A client that connects to the current host. */
export function clientClass(hosts: Hosts): new (config?: pg.ClientConfig) => pg.Client & HostConnection {
  return class extends pg.Client implements HostConnection {
    readonly connectedTo: string
    readonly prepared = new Prepared()
    private readonly since: number

    constructor(config: pg.ClientConfig = {}) {
      const host = hosts.current()
      super({ ...config, connectionString: host })
      this.connectedTo = host
      this.since = hosts.timesLeft(host)
      // An idle connection may be lost: the next query on it fails, which is soon enough.
      this.on('error', () => {})
    }

    get isUsable(): boolean {
      return this.since === hosts.timesLeft(this.connectedTo)
    }

    deallocate(name: string): void {
      // Otherwise the driver would assume that it is still prepared.
      delete (this as unknown as { connection: { parsedStatements: Record<string, string> } }).connection.parsedStatements[name]
      this.query(`DEALLOCATE ${name}`).catch(() => {})
    }

    override async end(ended?: (error: Error) => void): Promise<void> {
      const { stream } = (this as unknown as { connection: { stream: Socket } }).connection
      const cut = setTimeout(() => stream.destroy(), CLOSE_MS).unref()
      this.once('end', () => clearTimeout(cut))
      return ended ? super.end(ended) : super.end()
    }
  }
}

type PooledConnection = InstanceType<ReturnType<typeof clientClass>> & pg.PoolClient

/** A pool of connections to a database. */
export function createPool(address: Address, hosts: Hosts, max: number): Pool {
  let pooled = false
  const pool = new pg.Pool({
    Client: clientClass(hosts),
    max,
    pipeline: true,
    application_name: 'crm-connector',
    connectionTimeoutMillis: address.connectMs,
    query_timeout: address.statementMs + 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types: PARSERS,
    onConnect: setUp,
  })
  // Idle connections that end are replaced when needed.
  pool.on('error', () => {})
  hosts.onLeave(closeStale)

  /** Closes idle connections to a host that has become read-only. */
  async function closeStale(): Promise<void> {
    const idle = await Promise.allSettled(Array.from({ length: pool.idleCount }, () => pool.connect()))
    for (const one of idle) if (one.status === 'fulfilled') release(one.value as PooledConnection)
  }

  function release(client: PooledConnection, error?: unknown): void {
    client.release(!client.isUsable || (error !== undefined && isLost(error)))
  }

  /** Runs a statement of the set-up within the connection timeout. */
  async function duringConnect(client: pg.ClientBase, text: string): Promise<pg.QueryResult> {
    const query = { text, query_timeout: address.connectMs }
    try {
      return await client.query(query)
    } catch (error) {
      throw isRefusal(error) ? error : new Error('Connection terminated due to connection timeout', { cause: error })
    }
  }

  /** Checks the server of a new connection, and sets its timeouts. */
  async function setUp(client: pg.ClientBase): Promise<void> {
    const { rows } = await duringConnect(
      client,
      `SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS readonly, current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
    )
    const [{ pid, readonly, version, encoding }] = rows as [{ pid: number; readonly: string; version: string; encoding: string }]
    if (Number(version) < OLDEST) throw new WrongServer(`This is PostgreSQL ${Math.floor(Number(version) / 10_000)}; version 14 or newer is needed.`)
    if (encoding !== 'UTF8') throw new WrongServer(`The database stores text as ${encoding}; UTF8 is needed.`)
    if (address.readWrite && readonly === 'on') throw new ReadOnly('This server is read-only.')
    pooled ||= pid !== (client as unknown as { processID: number }).processID
    if (!pooled)
      await duringConnect(
        client,
        `SET statement_timeout = ${address.statementMs}; SET lock_timeout = ${address.statementMs}; SET idle_in_transaction_session_timeout = ${IDLE_MS}; SET parallel_setup_cost = ${PARALLEL_SETUP_COST}`,
      )
  }

  /** Tries every host before it fails. */
  async function connected(): Promise<PooledConnection> {
    for (let tries = 1; ; ) {
      const host = hosts.current()
      try {
        const client = (await pool.connect()) as PooledConnection
        if (client.isUsable) return client
        client.release(true)
      } catch (error) {
        if (isUnreachable(error)) hosts.failed(host)
        if (tries++ >= hosts.count || error instanceof WrongServer || !knownFault(error)?.retryNow) throw error
      }
    }
  }

  async function session(): Promise<Session> {
    const client = await connected()
    return {
      async query(sql, bind = []) {
        const { rows, rowCount, command } = await client.query(Prepared.statement(sql, bind, pooled ? undefined : client.prepared))
        return { rows: rows as Rows, count: rowCount ?? 0, command }
      },
      async interrupt() {
        if (!pooled) await query('SELECT pg_cancel_backend(?)', [(client as unknown as { processID: number }).processID])
      },
      release(error) {
        if (stateOf(error) === READ_ONLY) hosts.leave(client.connectedTo)
        // No transaction is open here, in which a DEALLOCATE might be refused.
        for (const name of client.prepared.surplus()) client.deallocate(name)
        release(client, error)
      },
    }
  }

  async function query(sql: string, bind: readonly Parameter[] = [], signal?: AbortSignal): Promise<Answer> {
    const one = await session()
    let interrupted: Promise<void> | undefined
    const interrupt = () => {
      interrupted = one.interrupt().catch(() => {})
    }
    signal?.addEventListener('abort', interrupt, { once: true })
    try {
      const answer = await one.query(sql, bind)
      // The next statement on this connection is not the one to be interrupted.
      await interrupted
      one.release()
      return answer
    } catch (error) {
      await interrupted
      one.release(error)
      throw error
    } finally {
      signal?.removeEventListener('abort', interrupt)
    }
  }

  return {
    session,
    query,
    async read(sql, bind, signal) {
      try {
        return (await query(sql, bind, signal)).rows
      } catch (error) {
        if (!isLost(error) || !knownFault(error)?.retryNow) throw error
        return (await query(sql, bind, signal)).rows
      }
    },
    isPooled: () => pooled,
    close: () => pool.end(),
  }
}

/** A timeout because all connections are in use is not the host's fault. */
const isUnreachable = (error: unknown) => knownFault(error)?.retryNow === true
