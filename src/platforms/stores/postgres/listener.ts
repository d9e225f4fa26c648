import type { Client } from 'pg'
import { clientClass, type Hosts } from './pool.ts'

/** The channel on which processes notify each other. */
export const CHANNEL = 'crm_connector'

const RECONNECT_MS = 1_000

/** Receives the notifications of other processes. Where that is impossible, such as behind a pooler, nothing is lost: every process also polls. */
export function createListener(hosts: Hosts, connectMs: number, received: (message: string) => void) {
  const Connection = clientClass(hosts)
  let client: Client | undefined
  let reconnecting: NodeJS.Timeout | undefined
  let ended = false

  async function listen(): Promise<void> {
    if (ended) return
    const connection = new Connection({ application_name: 'crm-connector', connectionTimeoutMillis: connectMs, keepAlive: true })
    client = connection
    connection.on('end', reconnect)
    connection.on('notification', ({ payload }) => received(payload ?? ''))
    try {
      await connection.connect()
      await connection.query(`LISTEN ${CHANNEL}`)
      // Notifications may have been missed before.
      received('')
    } catch {
      connection.end().catch(() => {})
      reconnect()
    }
  }

  function reconnect(): void {
    clearTimeout(reconnecting)
    if (!ended) reconnecting = setTimeout(listen, RECONNECT_MS).unref()
  }

  void listen()
  return {
    async end(): Promise<void> {
      ended = true
      clearTimeout(reconnecting)
      await client?.end().catch(() => {})
    },
  }
}
