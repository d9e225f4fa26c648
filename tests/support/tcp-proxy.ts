import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A wire between a service and its database that can be cut, and that can be held still. */
export interface TcpProxy {
  /** The URL of a database, by way of the wire. */
  readonly url: string
  /** From now on nothing arrives, on either side, and nobody is told. */
  stall(): void
  /** All that was held still arrives. */
  flow(): void
  /** Cuts all connections that are open now. */
  cut(): void
  /** Cuts them, and all that anybody tries to make until it is mended. */
  tear(): void
  mend(): void
  /** From now on it leads to another database. */
  leadTo(database: string): void
  /** Cuts the next connection that brings an answer of so many bytes, in the middle of it. */
  cutInAnswer(bytes: number): void
  /**
   * Cuts the connection that commits what contains these words: `lost` before the database hears of the commit, `made` after it has
   * committed and before anybody hears of that. Resolves once it has.
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
  /** Statements that mean a commit, by the names they were prepared under. */
  const commits = new Set<string>()
  let still = false
  let torn = false
  /** They say whether to let the bytes through. */
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
    // Where nothing arrives, neither does the end of a connection.
    from.on('close', () => {
      if (!still) drop(pair)
    })
  }

  function drop(pair: Pair): void {
    pairs.delete(pair)
    pair.service.destroy()
    pair.database.destroy()
  }

  /** Lets everything through, and remembers what a commit looks like. */
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
