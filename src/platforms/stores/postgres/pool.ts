import type { Socket } from 'node:net'
import pg from 'pg'
import type { Parameter } from '../sql/dialect.ts'
import type { Address } from './address.ts'
import { isLost, isRefusal, knownFault, stateOf } from './errors.ts'
import { Prepared } from './statements.ts'

export type Rows = readonly (readonly unknown[])[]

/** Sends one statement. */
export type Ask = (sql: string, bind: readonly Parameter[]) => Promise<Rows>

/** A row under the names of its members. */
export const named = (members: readonly string[]) => (row: readonly unknown[]) => Object.fromEntries(members.map((member, i) => [member, row[i]]))

export interface Answer {
  readonly rows: Rows
  /** How many rows were written. */
  readonly count: number
  /** What the database says it did; a COMMIT of a failed transaction is a ROLLBACK. */
  readonly command: string
}

/** A connection that somebody has for themselves. Statements are sent at once, and answered one after the other. */
export interface Session {
  query(sql: string, bind?: readonly Parameter[]): Promise<Answer>
  /** Gives the connection back, or ends it where it is of no more use. */
  release(error?: unknown): void
}

export interface Pool {
  session(): Promise<Session>
  /** One statement by itself. What only reads is tried a second time when its connection turns out to be gone. */
  query(sql: string, bind?: readonly Parameter[]): Promise<Answer>
  read(sql: string, bind: readonly Parameter[]): Promise<Rows>
  /** Whether there is a pooler between, which gives each transaction another connection. */
  isPooled(): boolean
  close(): Promise<void>
}

const BIGINT = 20
/** Our numbers stay far below where they would lose digits. */
const PARSERS = { getTypeParser: (type: number, format?: 'text') => (type === BIGINT ? Number : pg.types.getTypeParser(type, format)) } as pg.CustomTypesConfig

/** How long a connection may hold a transaction in which nothing happens; its process may be gone. */
const IDLE_MS = 60_000
/** Helpers take longer to start than most of what we ask takes; only what reads very many rows is worth them. */
const HELPERS_COST = 10_000
/** The oldest server whose SQL we count on. */
const OLDEST = 140_000

export class WrongServer extends Error {}

const READ_ONLY = '25006'
class ReadOnly extends Error {
  readonly code = READ_ONLY
}

/** The hosts of an address, and the one to go to. */
export function createHosts({ hosts }: Pick<Address, 'hosts'>) {
  const left = new Map<string, number>()
  const listeners = new Set<() => void>()
  let at = 0

  /** This one is of no use right now: the next is tried, unless that has been done already. */
  function failed(host: string): void {
    if (host === hosts[at]) at = (at + 1) % hosts.length
  }

  return {
    count: hosts.length,
    current: () => hosts[at] as string,
    failed,
    /** This one has stopped taking writes: another has them, and what is read there grows old. */
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

/** How long a server that is told goodbye may take to hang up. */
const GOODBYE_MS = 500

interface Led {
  readonly prepared: Prepared
  deallocate(name: string): void
  /** The host it is connected to, which may no longer be the current one. */
  readonly leadsTo: string
  /** Whether its host has not been left since. */
  readonly isOfUse: boolean
}

/** Makes connections to the current host. */
export function clientClass(hosts: Hosts): new (config?: pg.ClientConfig) => pg.Client & Led {
  return class extends pg.Client implements Led {
    readonly leadsTo: string
    readonly prepared = new Prepared()
    private readonly since: number

    constructor(config: pg.ClientConfig = {}) {
      const host = hosts.current()
      super({ ...config, connectionString: host })
      this.leadsTo = host
      this.since = hosts.timesLeft(host)
      // A connection may be lost while nobody waits for an answer; whoever asks next is told.
      this.on('error', () => {})
    }

    get isOfUse(): boolean {
      return this.since === hosts.timesLeft(this.leadsTo)
    }

    deallocate(name: string): void {
      // The driver would take it for prepared otherwise.
      delete (this as unknown as { connection: { parsedStatements: Record<string, string> } }).connection.parsedStatements[name]
      this.query(`DEALLOCATE ${name}`).catch(() => {})
    }

    override async end(ended?: (error: Error) => void): Promise<void> {
      const { stream } = (this as unknown as { connection: { stream: Socket } }).connection
      const cut = setTimeout(() => stream.destroy(), GOODBYE_MS).unref()
      this.once('end', () => clearTimeout(cut))
      return ended ? super.end(ended) : super.end()
    }
  }
}

type PooledConnection = InstanceType<ReturnType<typeof clientClass>> & pg.PoolClient

/** Connections to a database, shared by all who need one. */
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
    onConnect: prepare,
  })
  // Connections that end while nobody uses them are simply replaced.
  pool.on('error', () => {})
  hosts.onLeave(clear)

  /** Ends the connections that nobody uses just now, and that lead to a host which was left. */
  async function clear(): Promise<void> {
    const idle = await Promise.allSettled(Array.from({ length: pool.idleCount }, () => pool.connect()))
    for (const one of idle) if (one.status === 'fulfilled') giveBack(one.value as PooledConnection)
  }

  function giveBack(client: PooledConnection, error?: unknown): void {
    client.release(!client.isOfUse || (error !== undefined && isLost(error)))
  }

  /** What belongs to connecting takes no longer than connecting may. */
  async function soon(client: pg.ClientBase, text: string): Promise<pg.QueryResult> {
    const query = { text, query_timeout: address.connectMs }
    try {
      return await client.query(query)
    } catch (error) {
      throw isRefusal(error) ? error : new Error('Connection terminated due to connection timeout', { cause: error })
    }
  }

  /** Makes sure that a new connection leads to a server that will do. */
  async function prepare(client: pg.ClientBase): Promise<void> {
    const { rows } = await soon(
      client,
      `SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS readonly, current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
    )
    const [{ pid, readonly, version, encoding }] = rows as [{ pid: number; readonly: string; version: string; encoding: string }]
    if (Number(version) < OLDEST) throw new WrongServer(`This is PostgreSQL ${Math.floor(Number(version) / 10_000)}; version 14 or newer is needed.`)
    if (encoding !== 'UTF8') throw new WrongServer(`The database keeps text as ${encoding}; UTF8 is needed.`)
    if (address.readWrite && readonly === 'on') throw new ReadOnly('This server takes no writes.')
    pooled ||= pid !== (client as unknown as { processID: number }).processID
    if (!pooled)
      await soon(
        client,
        `SET statement_timeout = ${address.statementMs}; SET lock_timeout = ${address.statementMs}; SET idle_in_transaction_session_timeout = ${IDLE_MS}; SET parallel_setup_cost = ${HELPERS_COST}`,
      )
  }

  /** Tries every host before it gives up. */
  async function connected(): Promise<PooledConnection> {
    for (let tries = 1; ; ) {
      const host = hosts.current()
      try {
        const client = (await pool.connect()) as PooledConnection
        if (client.isOfUse) return client
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
      release(error) {
        if (stateOf(error) === READ_ONLY) hosts.leave(client.leadsTo)
        // No transaction is open here, in which a DEALLOCATE might be refused.
        for (const name of client.prepared.surplus()) client.deallocate(name)
        giveBack(client, error)
      },
    }
  }

  async function query(sql: string, bind: readonly Parameter[] = []): Promise<Answer> {
    const one = await session()
    try {
      const answer = await one.query(sql, bind)
      one.release()
      return answer
    } catch (error) {
      one.release(error)
      throw error
    }
  }

  return {
    session,
    query,
    async read(sql, bind) {
      try {
        return (await query(sql, bind)).rows
      } catch (error) {
        if (!isLost(error) || !knownFault(error)?.retryNow) throw error
        return (await query(sql, bind)).rows
      }
    },
    isPooled: () => pooled,
    close: () => pool.end(),
  }
}

/** All connections being in use says nothing about the host. */
const isUnreachable = (error: unknown) => knownFault(error)?.retryNow === true
