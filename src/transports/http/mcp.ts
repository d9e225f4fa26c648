import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import type { Caller } from '../../core/service.ts'
import { JSON_TYPE, respond, respondProblem } from './answer.ts'
import { parseBody, readBody } from './body.ts'
import type { Context } from './context.ts'
import { admitted } from './counted.ts'
import { mcpBackend } from './mcp-backend.ts'
import { refuseStrangers } from './origin.ts'
import { asCrmError, logAnswer, logRefusal } from './refusal.ts'
import { respondWeb, webRequest } from './web.ts'

/** What a request is counted as where it calls no operation. */
const COUNTED = 'mcp'
const PARSE_ERROR = -32700

/** `/mcp`: the operations as tools for agents. Other methods than POST are answered as the protocol wants it. */
export function mcpRoute(app: FastifyInstance, context: Context): void {
  const { service, version, log, metrics, underWay, live } = context
  let loading: ReturnType<typeof load> | undefined

  /** Only whoever wants tools pays for loading what speaks their protocol. */
  async function load() {
    const [{ createExchange }, { NARROWINGS, readNarrowing }] = await Promise.all([import('../mcp/http.ts'), import('../mcp/narrowing.ts')])
    return { exchange: createExchange((error) => log.debug({ reason: error.message }, 'mcp')), NARROWINGS, readNarrowing }
  }

  // Before Fastify looks at a body that only POST may have.
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => {
    void answer(request, reply.raw)
  }
  app.all('/mcp', { onRequest }, () => {})

  async function answer(request: FastifyRequest, raw: ServerResponse): Promise<void> {
    const { authorization } = request.headers
    let caller: Caller | undefined
    let calls = 0
    /** The one line of a call, or of a request that calls nothing. */
    const told = (operation: string | undefined, started: number, fault: unknown) => {
      const facts = { requestId: request.id, started, caller, authorization, ...(operation === undefined ? { route: '/mcp' } : { operation }) }
      const error = fault === undefined ? undefined : asCrmError(fault)
      metrics.count(operation ?? COUNTED, error?.code ?? 'ok', (performance.now() - started) / 1000)
      if (error) logRefusal(log, error, facts)
      else logAnswer(log, facts)
      calls += 1
    }

    const started = performance.now()
    const gone = new AbortController()
    const leave = () => gone.abort()
    raw.on('close', leave)
    underWay.add(raw)
    try {
      refuseStrangers(request.raw, raw)
      caller = await context.signIn(authorization, request.ip)
      loading ??= load()
      const { exchange, NARROWINGS, readNarrowing } = await loading
      const narrowing = readNarrowing(readQuery(request.url, NARROWINGS))
      const bytes = request.method === 'POST' ? await readBody(request.raw) : undefined
      if (bytes instanceof CrmError) throw bytes
      const message = bytes && parsed(bytes)
      const refusal = await overLimit(admitted(context, raw, caller, Array.isArray(message) ? Math.max(1, message.length) : 1))
      // An agent sees what a tool answers, and hardly what HTTP does.
      if (refusal && !isCall(message)) throw refusal
      if (message instanceof CrmError) respond(raw, request.id, 400, JSON_TYPE, parseError(message))
      else {
        // Who only listens is never done.
        if (isListening(message)) live.add(leave)
        const backend = mcpBackend(service, caller, request.id, told, refusal)
        await respondWeb(raw, request.id, await exchange(webRequest(request.raw, gone.signal), message, { backend, narrowing, version }))
      }
      if (calls === 0) told(undefined, started, undefined)
    } catch (fault) {
      respondProblem(raw, request.id, asCrmError(fault))
      told(undefined, started, fault)
    } finally {
      underWay.delete(raw)
      live.delete(leave)
    }
  }
}

const methodOf = (message: unknown) => (Object(message) as { method?: unknown }).method
const isListening = (message: unknown) => methodOf(message) === 'subscriptions/listen'
const isCall = (message: unknown) => methodOf(message) === 'tools/call'

/** The refusal of whoever has used up the limit of their key; any other is thrown. */
async function overLimit(admitted: Promise<void>): Promise<CrmError | undefined> {
  try {
    await admitted
    return undefined
  } catch (error) {
    if (error instanceof CrmError && error.code === 'rate_limited') return error
    throw error
  }
}

/** The message in a body, or what is wrong with it. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseBody(bytes)
  } catch (error) {
    return error
  }
}

/** What is no JSON is answered as the protocol wants it. */
function parseError({ message }: CrmError): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: `Parse error: ${message}` } })
}

/** What the address says; what it may not say is refused. */
function readQuery(url: string, known: readonly string[]): { readonly [name: string]: string } {
  const given = new URLSearchParams(url.split('?')[1] ?? '')
  const faults: Fault[] = [...new Set(given.keys())].flatMap((name) => {
    if (known.includes(name)) return []
    const [near] = nearest(name, known)
    const message = `There is no parameter called ${quote(name)}.`
    return [{ field: name, code: 'unknown', message, expected: known.join(', '), ...(near && { didYouMean: near }) }]
  })
  if (faults.length > 0) throw new CrmError('invalid_input', faults[0]?.message ?? '', { errors: faults })
  return Object.fromEntries(known.flatMap((name) => (given.has(name) ? [[name, given.getAll(name).join(',')]] : [])))
}
