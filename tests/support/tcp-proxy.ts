import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy between a service and its database that can cut or stall connections. */
export interface TcpProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** From now on no bytes are forwarded in either direction, and connections stay open. */
  stall(): void
  /** Ends the stall and forwards what was held back. */
  flow(): void
  /** Closes all open connections. */
  cut(): void
  /** Closes them, and refuses new ones until `mend`. */
  tear(): void
  mend(): void
  /** Forwards to another database from now on. */
  leadTo(database: string): void
  /** Closes the next connection with an answer of at least this many bytes, in the middle of it. */
  cutInAnswer(bytes: number): void
  /**
   * Closes the connection that commits a transaction containing these words: `lost` before the COMMIT reaches the database, `made`
   * after the commit and before its answer reaches the service. Resolves once it has.
   */
  cutAtCommit(words: string, when: 'lost' | 'made'): Promise<void>
}

interface Pair {
  readonly service: Socket
  readonly database: Socket
}

type Watch = (pair: Pair, bytes: Buffer) => boolean

export async function startTcpProxy(database: string): Promise<TcpProxy> {
  let to = new URL(database)
  const pairs = new Set<Pair>()
  /** The names of prepared COMMIT statements. */
  const commits = new Set<string>()
  let still = false
  let torn = false
  /** Return whether to forward the bytes. */
  let toDatabase: Watch = heed
  let toService: Watch = () => true

  const server = createServer({ pauseOnConnect: true }, (service) => {
    if (torn) return service.destroy()
    const pair = { service, database: connect(Number(to.port), to.hostname) }
    pairs.add(pair)
    pass(pair, service, pair.database, (bytes) => toDatabase(pair, bytes))
    pass(pair, pair.database, service, (bytes) => toService(pair, bytes))
    if (still) pair.database.pause()
    else service.resume()
  })

  function pass(pair: Pair, from: Socket, onto: Socket, lets: (bytes: Buffer) => boolean): void {
    from.on('data', (bytes) => {
      if (lets(bytes)) onto.write(bytes)
    })
    from.on('error', () => {})
    // While stalled, the end of a connection is not forwarded either.
    from.on('close', () => {
      if (!still) drop(pair)
    })
  }

  function drop(pair: Pair): void {
    pairs.delete(pair)
    pair.service.destroy()
    pair.database.destroy()
  }

  /** Forwards everything, and records the names of prepared COMMITs. */
  function heed(_: Pair, bytes: Buffer): true {
    isCommit(bytes)
    return true
  }

  function isCommit(bytes: Buffer): boolean {
    const text = bytes.toString('latin1')
    for (const [, name = ''] of text.matchAll(/(crm_\w+)\0COMMIT\0/g)) commits.add(name)
    return text.includes('\0COMMIT\0') || [...commits].some((name) => text.includes(`\0${name}\0`))
  }

  const url = new URL(database)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const pair of pairs) drop(pair)
  }
  onTestFinished(() => {
    still = false
    cut()
    server.close()
  })

  return {
    url: url.href,
    cut,

    tear() {
      torn = true
      cut()
    },

    mend() {
      torn = false
    },

    leadTo(other) {
      to = new URL(other)
      cut()
    },

    stall() {
      still = true
      for (const { service, database: other } of pairs) {
        service.pause()
        other.pause()
      }
    },

    flow() {
      still = false
      for (const pair of pairs) {
        if (pair.service.destroyed || pair.database.destroyed) drop(pair)
        pair.service.resume()
        pair.database.resume()
      }
    },

    cutInAnswer(least) {
      toService = (pair, bytes) => {
        if (bytes.length < least) return true
        toService = () => true
        pair.service.write(bytes.subarray(0, bytes.length / 2), () => drop(pair))
        return false
      }
    },

    cutAtCommit(words, when) {
      const carriers = new WeakSet<Pair>()
      return new Promise((resolve) => {
        function end(pair: Pair): false {
          toDatabase = heed
          toService = () => true
          drop(pair)
          resolve()
          return false
        }
        toDatabase = (pair, bytes) => {
          const commits = isCommit(bytes)
          if (bytes.includes(words)) carriers.add(pair)
          return !(when === 'lost' && commits && carriers.has(pair)) || end(pair)
        }
        toService = (pair, bytes) => !(carriers.has(pair) && bytes.includes('COMMIT\0')) || end(pair)
      })
    },
  }
}
