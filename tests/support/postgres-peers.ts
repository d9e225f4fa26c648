import { onTestFinished } from 'vitest'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { executeBatch } from '../../src/core/batch/batch.ts'
import { execute } from '../../src/core/call/execute.ts'
import { createService, type Retention, type Service } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/store.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { temporaryDatabase } from './postgres.ts'
import { ask } from './postgres-database.ts'

type Fields = Record<string, unknown>

export interface Called {
  readonly result: Fields
  readonly changeId: string
  readonly replayed: boolean
}

/** One of several services on the same database, isolated like processes: each has its own store, clock and connections. */
export interface Peer {
  readonly store: Store
  readonly service: Service
  /** Closes the store before the test ends. */
  readonly leave: () => Promise<void>
  /** Executes an operation as the admin; `key` is the idempotency key. */
  readonly call: (operation: string, input?: object, key?: string) => Promise<Called>
  /** Executes an atomic batch. */
  readonly atomic: (operations: readonly { readonly Operation: string; readonly Input: object }[]) => Promise<readonly { Status: number; Error?: Fields }[]>
}

export interface Peers {
  readonly url: string
  readonly peers: readonly [Peer, Peer, Peer]
  /** Queries the database directly. */
  readonly ask: (sql: string) => Promise<Fields[]>
  /** Adds another peer. */
  readonly join: (options?: Joining) => Promise<Peer>
}

export interface Joining {
  readonly retention?: Retention
  readonly now?: () => Date
}

/** Three services on a new database, connected directly or through a proxy. */
export async function peersOnPostgres(options: Joining = {}, through: (url: string) => Promise<string> = async (url) => url): Promise<Peers> {
  const { url, drop } = await temporaryDatabase()
  const address = await through(url)
  const stores = new Set<Store>()
  onTestFinished(async () => {
    await Promise.all([...stores].map((store) => store.close()))
    await drop()
  })

  async function join(joining: Joining = options): Promise<Peer> {
    const store = await openPostgres(address)
    stores.add(store)
    const service = createService({ platform: store, store, ...joining })
    await bootstrap(service)
    const caller = await localAdmin(service)
    return {
      store,
      async leave() {
        stores.delete(store)
        await store.close()
      },
      service,
      async call(operation, input = {}, key) {
        const { result, changeId = '', replayed = false } = await execute(service, { operation, input, caller, idempotencyKey: key })
        return { result: result as Fields, changeId, replayed }
      },
      async atomic(Operations) {
        const { Results } = await executeBatch(service, { operation: 'batch', input: { Operations, Atomic: true }, caller })
        return Results as unknown as Awaited<ReturnType<Peer['atomic']>>
      },
    }
  }

  return { url, peers: [await join(), await join(), await join()], ask: (sql) => ask(url, sql), join }
}

/** Runs some work many times concurrently, round robin over the peers. */
export function atOnce<T>(peers: readonly Peer[], count: number, work: (peer: Peer, i: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(Array.from({ length: count }, (_, i) => work(peers[i % peers.length] as Peer, i)))
}

/** The results of the calls that succeeded. */
export function answered<T>(ends: readonly PromiseSettledResult<T>[]): T[] {
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
}

/** The error codes of the calls that were refused. */
export function refusals(ends: readonly PromiseSettledResult<unknown>[]): string[] {
  return ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason.code ?? end.reason)] : [])).sort()
}
