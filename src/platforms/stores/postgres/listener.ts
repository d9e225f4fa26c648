import type { Client } from 'pg'
import { clientClass, type Hosts } from './pool.ts'

/** The channel on which processes tell each other that something has happened. */
export const CHANNEL = 'crm_connector'

/** How long to wait before another attempt. */
const AGAIN_MS = 1_000

/**
 * Hears at once what other processes tell. Where it cannot, such as behind a pooler, nothing is lost: everybody also looks
 * from time to time.
 */
export function createEar(hosts: Hosts, connectMs: number, heard: (word: string) => void) {
  const Connection = clientClass(hosts)
  let client: Client | undefined
  let again: NodeJS.Timeout | undefined
  let ended = false

  async function listen(): Promise<void> {
    if (ended) return
    const one = new Connection({ application_name: 'crm-connector', connectionTimeoutMillis: connectMs, keepAlive: true })
    client = one
    one.on('end', retry)
    one.on('notification', ({ payload }) => heard(payload ?? ''))
    try {
      await one.connect()
      await one.query(`LISTEN ${CHANNEL}`)
      // What was said while nobody listened is caught up with.
      heard('')
    } catch {
      one.end().catch(() => {})
      retry()
    }
  }

  function retry(): void {
    clearTimeout(again)
    if (!ended) again = setTimeout(listen, AGAIN_MS).unref()
  }

  void listen()
  return {
    async end(): Promise<void> {
      ended = true
      clearTimeout(again)
      await client?.end().catch(() => {})
    },
  }
}
