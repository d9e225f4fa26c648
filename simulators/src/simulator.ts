import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { administer, isAdministration } from './administration.ts'
import { FaultError, Faults, readFault } from './faults.ts'
import type { Simulate, Simulated, Trouble, WireAnswer, WireRequest, World } from './simulated.ts'

/** Bodies larger than this are refused, as every service does at some size. */
const MOST_BYTES = 32 * 1024 * 1024
const TOO_LARGE: WireAnswer = { status: 413, body: { error: `The body has more than ${MOST_BYTES} bytes.` } }

const DAY_MS = 86_400_000
/** The clock goes ahead by ten years at most: dates beyond are of no use to anybody, and some are no dates any more. */
const MOST_AHEAD_MS = 3653 * DAY_MS

export interface SimulatorOptions {
  /** 0, unless given, takes any free port. */
  readonly port?: number
  readonly host?: string
  /** Faults that are on from the beginning, as `crm simulate --fault` takes them. */
  readonly faults?: readonly string[]
  /** The same seed makes the same faults happen to the same requests. */
  readonly seed?: number
}

export interface Simulator {
  readonly url: string
  readonly faults: Faults
  readonly simulated: Simulated
  /** Lets time pass for the simulated CRM, in milliseconds. */
  advance(ms: number): void
  close(): Promise<void>
}

/** Starts a CRM that is none, on this machine only unless told otherwise. It is empty at first and forgets everything at the end. */
export async function startSimulator(
  simulate: Simulate,
  { port = 0, host = '127.0.0.1', faults: said = [], seed = 1 }: SimulatorOptions = {},
): Promise<Simulator> {
  const random = seeded(seed)
  const faults = new Faults(random)
  let ahead = 0
  let calls = 0
  const world: World = { now: () => new Date(Date.now() + ahead), random, faults }
  const simulated = simulate(world)
  const closing = new AbortController()
  const running = {
    faults,
    simulated,
    check(said: string) {
      const { name, value } = readFault(said)
      const [object = '', field = ''] = value.split('.')
      if (name === 'field-security' && !simulated.knows(object, field)) throw new FaultError(`There is no field ${value} that could be hidden.`)
    },
    advance(ms: number) {
      if (ahead + ms > MOST_AHEAD_MS) throw new FaultError(`The clock can be ahead by ${MOST_AHEAD_MS} ms in all, and is by ${ahead}.`)
      ahead += ms
    },
    calls: () => calls,
    reset() {
      calls = 0
      ahead = 0
      faults.refill()
      simulated.reset()
    },
  }
  for (const fault of said) {
    running.check(fault)
    faults.add(fault)
  }

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await read(incoming)
    if (!request) return send(outgoing, TOO_LARGE)
    if (isAdministration(request)) return send(outgoing, administer(running, request))
    calls++
    const drop = () => outgoing.socket?.destroy()
    const delay = faults.amount('slow', request)
    if (delay !== undefined) await wait(delay, undefined, { signal: closing.signal })
    if (faults.happens('drop-before', request)) return void drop()
    const refusal = troubleFor(request)
    if (refusal) return send(outgoing, simulated.trouble(refusal, request))
    const answer = await simulated.answer(request)
    if (faults.happens('drop-after', request)) return void drop()
    if (faults.happens('error-after', request)) return send(outgoing, simulated.trouble('error', request))
    send(outgoing, answer, faults.happens('malformed', request))
  }

  function troubleFor(request: WireRequest): Trouble | undefined {
    const signsIn = simulated.isSignIn(request)
    if (!signsIn && !faults.spend(request, Math.floor(world.now().getTime() / DAY_MS))) return 'daily-quota'
    if (!signsIn && faults.happens('expired-session', request)) return 'expired-session'
    if (faults.happens('rate-limit', request)) return 'rate-limit'
    if (faults.happens('error', request)) return 'error'
    const writes = simulated.isWrite?.(request) ?? (request.method !== 'GET' && request.method !== 'HEAD')
    if (!signsIn && writes && faults.happens('lock-row', request)) return 'lock-row'
    return undefined
  }

  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: Error) => {
      if (!outgoing.headersSent && !closing.signal.aborted) send(outgoing, { status: 500, body: { error: error.message } })
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(port, host, listening)
  })
  const { port: taken } = server.address() as AddressInfo
  const reached = EVERYWHERE[host] ?? host
  return {
    url: `http://${reached.includes(':') ? `[${reached}]` : reached}:${taken}`,
    ...running,
    close: () =>
      new Promise((closed) => {
        closing.abort()
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Addresses that stand for all of a machine's, and one of those by which it is reached from itself. */
const EVERYWHERE: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Reads a request, all of it, so that another may follow; undefined where its body is too large. */
async function read(incoming: IncomingMessage): Promise<WireRequest | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MOST_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > MOST_BYTES) return undefined
  const { method = 'GET', url = '/', headers } = incoming
  const [path = '/', ...query] = url.split('?')
  return {
    method,
    path,
    query: new URLSearchParams(query.join('?')),
    headers: headers as { readonly [name: string]: string | undefined },
    body: Buffer.concat(chunks).toString('utf8'),
    origin: `http://${headers.host ?? '127.0.0.1'}`,
  }
}

function send(outgoing: ServerResponse, { status, headers = {}, body }: WireAnswer, cutOff = false): void {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const bytes = Buffer.from(text)
  outgoing.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json;charset=UTF-8' }),
    ...headers,
    'content-length': cutOff ? Math.floor(bytes.length / 2) : bytes.length,
  })
  outgoing.end(cutOff ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes)
}

/** Numbers that look random and are the same again for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
