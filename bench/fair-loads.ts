import { Agent, request } from 'node:http'
import { connect } from 'node:net'

/** What a load is sent to, and as whom. */
export interface Target {
  readonly url: string
  readonly key: string
  /** A key that may not write. */
  readonly narrowKey: string
  /** A lead, and two users who may own it. */
  readonly leadId: string
  readonly userIds: readonly string[]
}

/** Puts a load on a service until the signal aborts. */
type Load = (target: Target, signal: AbortSignal) => void

interface Sent {
  readonly path: string
  readonly body: string
  readonly key?: string
  /** Hangs up after so many milliseconds. */
  readonly hangUpMs?: number
}

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
const call = (operation: string, input: unknown) => ({ path: `/v1/operations/${operation}`, body: JSON.stringify(input) })
const batch = (Operations: readonly unknown[]) => ({ path: '/v1/batch', body: JSON.stringify({ Operations }) })

const CONTAINS = { Filters: { LastName: { contains: 'nobody has this name' } }, Limit: 50 }
const LISTS = {
  FirstName: { in: times(1000, (i) => `First ${i}`) },
  Status: { in: times(1000, (i) => (i < 5 ? 'Open' : `Status ${i}`)) },
  Phone: { contains: 'x' },
}

export const LOADS: { readonly [name: string]: Load } = {
  'one fruitless contains': repeat(1, () => call('get_many_leads', CONTAINS)),
  'four fruitless contains': repeat(4, () => call('get_many_leads', CONTAINS)),
  'four unselective in': repeat(4, () => call('get_many_leads', { Filters: LISTS, Limit: 50 })),
  'four summaries with filters': repeat(4, () => call('get_summary_of_leads', { Filters: { LastName: { contains: '1' } } })),
  'batches of 1,000 reads, hung up on': repeat(4, () => ({
    ...batch(times(1000, () => ({ Operation: 'get_many_leads', Input: CONTAINS }))),
    hangUpMs: 50,
  })),
  'batches of 1,000 creates': repeat(1, (i) =>
    batch(times(1000, (j) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Load', LastName: `${i} ${j}` } }))),
  ),
  'batches of 1,000 owner flips': repeat(1, (_, { leadId, userIds }) =>
    batch(times(1000, (i) => ({ Operation: 'update_lead', Input: { LeadID: leadId, FieldsToUpdate: { OwnerID: userIds[i % 2] } } }))),
  ),
  '500 event streams, 20 writes a second'(target, signal) {
    for (let i = 0; i < 500; i++) half(target, signal, headOf(target, 'GET /v1/events', ['Accept: text/event-stream']), true)
    const writing = setInterval(() => void send(target, signal, call('create_a_lead', { FirstName: 'Load', LastName: 'Stream' })), 50)
    signal.addEventListener('abort', () => clearInterval(writing))
  },
  '100 streams that are never read'(target, signal) {
    const head = headOf(target, 'POST /v1/operations/get_many_leads', ['Accept: application/x-ndjson', 'Content-Type: application/json', 'Content-Length: 2'])
    for (let i = 0; i < 100; i++) half(target, signal, `${head}{}`, false)
  },
  'forbidden calls': repeat(8, (_, { narrowKey }) => ({ ...call('create_a_lead', { FirstName: 'No', LastName: 'No' }), key: narrowKey })),
  'wrong keys': repeat(8, (_, { leadId }) => ({ ...call('get_leads', { LeadID: leadId }), key: 'crm_wrong' })),
  'half-open requests'(target, signal) {
    const head = headOf(target, 'POST /v1/operations/get_leads', ['Content-Length: 100'])
    for (let i = 0; i < 500; i++) half(target, signal, `${head}{`, true)
  },
  'large documents': repeat(2, () => ({ path: '/v1/batch', body: `{"Operations":[${'{},'.repeat(3_000_000)}{}]}` })),
}

/** So many connections that send one request after the other. */
function repeat(connections: number, next: (i: number, target: Target) => Sent): Load {
  return (target, signal) => {
    const agent = new Agent({ keepAlive: true })
    let i = 0
    const one = async () => {
      while (!signal.aborted) await send(target, signal, next(i++, target), agent)
      agent.destroy()
    }
    for (const _ of times(connections, () => 0)) void one()
  }
}

/** Sends a request and reads its answer; resolves however it ends. */
function send({ url, key: own }: Target, signal: AbortSignal, { path, body, key = own, hangUpMs }: Sent, agent?: Agent): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers, signal }, (answer) => {
      answer.resume()
      answer.on('error', () => {})
      answer.on('close', resolve)
    })
    sent.on('error', () => resolve())
    if (hangUpMs !== undefined) setTimeout(() => sent.destroy(), hangUpMs)
    sent.end(body)
  })
}

const headOf = ({ key }: Target, request: string, lines: readonly string[]) =>
  [`${request} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`, ...lines, '\r\n'].join('\r\n')

/** An open connection on which a request was begun. */
function half(target: Target, signal: AbortSignal, text: string, read: boolean): void {
  if (signal.aborted) return
  const { hostname, port } = new URL(target.url)
  const socket = connect(Number(port), hostname, () => socket.write(text))
  const end = () => socket.destroy()
  signal.addEventListener('abort', end)
  if (read) socket.resume()
  socket.on('error', () => {})
  socket.on('close', () => {
    signal.removeEventListener('abort', end)
    half(target, signal, text, read)
  })
}
