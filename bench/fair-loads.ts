/** node scripts/run.js bench/fair-loads.ts LOAD URL KEY FORBIDDEN_KEY LEAD_ID USER_IDS: one of the loads of `npm run bench fair`, until it is killed. */
import { Agent, request as open } from 'node:http'
import { connect as connectSocket } from 'node:net'

const [load = '', url = '', key = '', forbiddenKey = '', leadId = '', userIds = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const agent = new Agent({ keepAlive: true, maxSockets: 2000 })

interface Sent {
  readonly path?: string
  readonly body?: string
  readonly key?: string
  /** Hangs up after so many milliseconds. */
  readonly hangUpMs?: number
}

/** Sends a request and reads its answer; resolves however it ends. */
function send({ path, body = '{}', key: as = key, hangUpMs }: Sent): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = open({ hostname, port, path, method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('close', resolve)
    })
    sent.on('error', () => resolve())
    if (hangUpMs !== undefined) setTimeout(() => sent.destroy(), hangUpMs)
    sent.end(body)
  })
}

const call = (operation: string, input: unknown) => ({ path: `/v1/operations/${operation}`, body: JSON.stringify(input) })
const batch = (Operations: readonly unknown[]) => ({ path: '/v1/batch', body: JSON.stringify({ Operations }) })
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))

/** So many connections that send one request after the other. */
async function repeat(connections: number, next: (i: number) => Sent): Promise<void> {
  let i = 0
  await Promise.all(
    times(connections, async () => {
      for (;;) await send(next(i++))
    }),
  )
}

/** An open connection on which a request was begun. */
function half(text: string, read: boolean): void {
  const socket = connectSocket(Number(port), hostname, () => socket.write(text))
  if (read) socket.resume()
  socket.on('error', () => {})
  socket.on('close', () => half(text, read))
}

const get = (path: string, accept: string) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nAccept: ${accept}\r\n\r\n`
const contains = { Filters: { LastName: { contains: 'nobody has this name' } }, Limit: 50 }
const lists = {
  FirstName: { in: times(1000, (i) => `First ${i}`) },
  Status: { in: times(1000, (i) => (i < 5 ? 'Open' : `Status ${i}`)) },
  Phone: { contains: 'x' },
}
const flip = (i: number) => ({ Operation: 'update_lead', Input: { LeadID: leadId, FieldsToUpdate: { OwnerID: userIds.split(',')[i % 2] } } })

const LOADS: { readonly [name: string]: () => unknown } = {
  'one fruitless contains': () => repeat(1, () => call('get_many_leads', contains)),
  'four fruitless contains': () => repeat(4, () => call('get_many_leads', contains)),
  'four unselective in': () => repeat(4, () => call('get_many_leads', { Filters: lists, Limit: 50 })),
  'four summaries with filters': () => repeat(4, () => call('get_summary_of_leads', { Filters: { LastName: { contains: '1' } } })),
  'batches of 1,000 reads, hung up on': () =>
    repeat(4, () => ({ ...batch(times(1000, () => ({ Operation: 'get_many_leads', Input: contains }))), hangUpMs: 50 })),
  'batches of 1,000 creates': () =>
    repeat(1, (i) => batch(times(1000, (j) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Load', LastName: `${i} ${j}` } })))),
  'batches of 1,000 owner flips': () => repeat(1, () => batch(times(1000, flip))),
  '500 event streams, 20 writes a second': () => {
    for (let i = 0; i < 500; i++) half(get('/v1/events', 'text/event-stream'), true)
    setInterval(() => void send(call('create_a_lead', { FirstName: 'Load', LastName: 'Stream' })), 50)
  },
  '100 streams that are never read': () => {
    const body = '{}'
    for (let i = 0; i < 100; i++)
      half(
        `POST /v1/operations/get_many_leads HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nAccept: application/x-ndjson\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        false,
      )
  },
  'forbidden calls': () => repeat(8, () => ({ ...call('create_a_lead', { FirstName: 'No', LastName: 'No' }), key: forbiddenKey })),
  'wrong keys': () => repeat(8, () => ({ ...call('get_leads', { LeadID: leadId }), key: 'crm_wrong' })),
  'half-open requests': () => {
    for (let i = 0; i < 500; i++) half(`POST /v1/operations/get_leads HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100\r\n\r\n{`, true)
  },
  'large documents': () => repeat(2, () => ({ path: '/v1/batch', body: `{"Operations":[${'{},'.repeat(3_000_000)}{}]}` })),
}

const run = LOADS[load]
if (!run) throw new Error(`There is no load called ${load}: ${Object.keys(LOADS).join(', ')}`)
await run()
