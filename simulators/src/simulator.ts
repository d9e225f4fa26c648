import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { administer, isAdministration } from './administration.ts'
import { DAY_MS } from './dates.ts'
import { FaultError, Faults, readFault } from './faults.ts'
import { Postponed } from './postponed.ts'
import { seeded } from './seeded.ts'
import type { Failure, Simulate, Simulated, WireAnswer, WireRequest, World } from './simulated.ts'
import { targetOf } from './target.ts'

const MOST_BYTES = 32 * 1024 * 1024
const TOO_LARGE: WireAnswer = { status: 413, body: { error: `The body has more than ${MOST_BYTES} bytes.` } }

/** The clock can be advanced by ten years at most, so that all dates stay valid. */
const MOST_AHEAD_MS = 3653 * DAY_MS

export interface SimulatorOptions {
  /** Default 0: any free port. */
  readonly port?: number
  readonly host?: string
  /** Faults to start with, such as `drop-after=0.1`. */
  readonly faults?: readonly string[]
  /** The clock, in milliseconds. Default: that of the machine. A test that stops it depends on no time but what it advances. */
  readonly clock?: () => number
  /** With the same seed the same sequence of requests meets the same faults. */
  readonly seed?: number
}

export interface Simulator {
  readonly url: string
  readonly faults: Faults
  readonly simulated: Simulated
  /** Lets time pass for the simulated CRM, in milliseconds. Resolves once the writes that are late by no more than that, and other tasks, are done. */
  advance(ms: number): Promise<void>
  close(): Promise<void>
}

/** Starts a simulated CRM, by default on 127.0.0.1. It is empty and keeps its data in memory. */
export async function startSimulator(
  simulate: Simulate,
  { port = 0, host = '127.0.0.1', faults: initialFaults = [], clock = () => Date.now(), seed = 1 }: SimulatorOptions = {},
): Promise<Simulator> {
  const random = seeded(seed)
  const faults = new Faults(random)
  let ahead = 0
  let calls = 0
  const postponed = new Postponed(() => clock() + ahead)
  const world: World = {
    now: () => new Date(clock() + ahead - (faults.amount('clock-skew') ?? 0)),
    stamp() {
      const now = Number(world.now())
      return new Date(now - (now % (faults.amount('same-stamp') || 1)))
    },
    random,
    faults,
    later: (ms, task) => postponed.add(task, ms),
  }
  const simulated = simulate(world)
  const closing = new AbortController()
  const running = {
    faults,
    simulated,
    check(text: string) {
      const { name, value } = readFault(text)
      const [object = '', field = ''] = value.split('.')
      if (name === 'field-security' && !simulated.hasField(object, field)) throw new FaultError(`There is no field ${value} that could be hidden.`)
    },
    async advance(ms: number) {
      if (ahead + ms > MOST_AHEAD_MS) throw new FaultError(`The clock can be ahead by ${MOST_AHEAD_MS} ms in all, and is by ${ahead}.`)
      ahead += ms
      await postponed.performDue()
    },
    calls: () => calls,
    reset() {
      calls = 0
      ahead = 0
      postponed.clear()
      faults.refill()
      simulated.reset()
    },
  }
  for (const fault of initialFaults) {
    running.check(fault)
    faults.add(fault)
  }

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    outgoing.setHeader('date', world.now().toUTCString())
    const gzips = incoming.headers['accept-encoding']?.includes('gzip') ?? false
    const send = (answer: WireAnswer, cutOff = false) => write(outgoing, answer, { cutOff, gzips })
    const request = await read(incoming)
    if (!request) return send(TOO_LARGE)
    if (isAdministration(request)) return send(await administer(running, request))
    calls++
    const drop = () => outgoing.socket?.destroy()
    const delay = faults.amount('slow', request)
    if (delay !== undefined) await wait(delay, undefined, { signal: closing.signal })
    if (faults.happens('drop-before', request)) return void drop()
    const refusal = failureFor(request)
    if (refusal) return send(simulated.fail(refusal, request))
    const late = writes(request) ? faults.amount('late', request) : undefined
    if (late !== undefined) {
      faults.happened++
      postponed.add(() => simulated.answer(request), late)
      return void drop()
    }
    const answer = await simulated.answer(request)
    if (faults.happens('drop-after', request)) return void drop()
    if (faults.happens('error-after', request)) return send(simulated.fail('error', request))
    send(answer, faults.happens('malformed', request))
  }

  function writes(request: WireRequest): boolean {
    return !simulated.isSignIn(request) && (simulated.isWrite?.(request) ?? (request.method !== 'GET' && request.method !== 'HEAD'))
  }

  function failureFor(request: WireRequest): Failure | undefined {
    const signsIn = simulated.isSignIn(request)
    if (!signsIn && !faults.spend(request, Math.floor(world.now().getTime() / DAY_MS))) return 'daily-quota'
    if (!signsIn && faults.happens('expired-session', request)) return 'expired-session'
    if (faults.happens('rate-limit', request)) return 'rate-limit'
    if (faults.happens('error', request)) return 'error'
    if (writes(request) && faults.happens('lock-row', request)) return 'lock-row'
    return undefined
  }

  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: Error) => {
      if (!outgoing.headersSent && !closing.signal.aborted) write(outgoing, { status: 500, body: { error: error.message } })
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
        postponed.clear()
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Wildcard addresses, each with an address that can be connected to. */
const EVERYWHERE: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Reads the whole request, so that the connection can be reused; undefined if its body is too large. */
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
  return {
    method,
    ...targetOf(url),
    headers: headers as { readonly [name: string]: string | undefined },
    body: Buffer.concat(chunks).toString('utf8'),
    origin: `http://${headers.host ?? '127.0.0.1'}`,
  }
}

/** Smaller answers are not worth compressing. */
const GZIP_BYTES = 1_000

function write(outgoing: ServerResponse, { status, headers = {}, body }: WireAnswer, { cutOff = false, gzips = false } = {}): void {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const zipped = gzips && text.length > GZIP_BYTES
  const bytes = zipped ? gzipSync(text) : Buffer.from(text)
  const length = cutOff ? Math.floor(bytes.length / 2) : bytes.length
  outgoing.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json;charset=UTF-8' }),
    ...(zipped && { 'content-encoding': 'gzip' }),
    ...headers,
    'content-length': length,
  })
  outgoing.end(bytes.subarray(0, length))
}
