import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { extentRefusal } from '../../contract/input-extent.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isObject } from '../../helpers/is-object.ts'
import { endsOf, idIn } from './oversized-line.ts'
import { paramsError, type RawArguments, rawArguments } from './raw-params.ts'
import type { Members } from './truncate.ts'

/** How long open requests may take after the input has ended. */
const GRACE_MS = 4500

const TOO_LONG = `Invalid request: too_large: the line is longer than ${LIMITS.bodyBytes.toLocaleString('en')} bytes. Send less in one call.`

export interface LineTransport extends Transport {
  /** Stops reading, waits for open requests, and closes. */
  finish(): Promise<void>
  /** Resolves once the client has read most of what was sent to it. */
  drained(): Promise<void>
  /** The arguments of a call that waits for its answer. */
  readonly argumentsOf: RawArguments
  /** Resolves once it is closed. */
  readonly closed: Promise<void>
}

/**
 * JSON-RPC messages over a pair of streams, one on each line. A line that cannot be read is answered with an error, and reading goes on.
 * When the input ends, open requests are still answered.
 */
export function lineTransport(input: Readable, output: Writable): LineTransport {
  /** Requests that are not yet answered, each with its arguments. */
  const open = new Map<string | number, Members | undefined>()
  let line: Buffer[] = []
  let length = 0
  let isClosed = false
  let allAnswered = () => {}
  let closing = () => {}
  const closed = new Promise<void>((resolve) => {
    closing = resolve
  })

  /** Shared by all writes that wait, so that there is one listener. */
  let draining: Promise<void> | undefined
  const drained = () =>
    new Promise<void>((resolve) => {
      const done = () => {
        output.off('drain', done).off('close', done)
        draining = undefined
        resolve()
      }
      output.on('drain', done).on('close', done)
    })

  async function write(message: object): Promise<void> {
    if (!output.writable || output.write(`${JSON.stringify(message)}\n`)) return
    draining ??= drained()
    await draining
  }

  /** An unknown id is left out: MCP does not allow null. */
  const refuse = (code: number, message: string, id?: unknown) => {
    void write({ jsonrpc: '2.0', ...((typeof id === 'string' || typeof id === 'number') && { id }), error: { code, message } })
  }

  function receive(text: string): void {
    if (text.trim() === '') return
    const refusal = extentRefusal(text, 'the line')
    if (refusal) {
      refuse(ProtocolErrorCode.InvalidRequest, `Invalid request: ${refusal.code}: ${refusal.message}`, idIn(endsOf([Buffer.from(text)]).toString()))
      return
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      refuse(ProtocolErrorCode.ParseError, 'Parse error: the line is not JSON.')
      return
    }
    let message: JSONRPCMessage
    try {
      message = parseJSONRPCMessage(value)
    } catch {
      refuse(ProtocolErrorCode.InvalidRequest, 'Invalid request: the line is not a JSON-RPC message.', isObject(value) ? value.id : undefined)
      return
    }
    if ('method' in message && 'id' in message) {
      const fault = paramsError(value)
      if (fault !== undefined) {
        refuse(ProtocolErrorCode.InvalidParams, fault, message.id)
        return
      }
      // A subscription is answered only when it ends.
      if (message.method !== 'subscriptions/listen') open.set(message.id, rawArguments(value))
    }
    // A cancelled request is not answered.
    if ('method' in message && message.method === 'notifications/cancelled') open.delete(message.params?.requestId as string | number)
    transport.onmessage?.(message)
  }

  function endLine(): void {
    const text = Buffer.concat(line).toString('utf8')
    const isWhole = length <= LIMITS.bodyBytes
    line = []
    length = 0
    if (isWhole) receive(text)
    else refuse(ProtocolErrorCode.InvalidRequest, TOO_LONG, idIn(text))
  }

  function take(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end))
      endLine()
      from = end + 1
    }
    add(chunk.subarray(from))
  }

  /** Only both ends of an oversized line are kept in memory. */
  function add(part: Buffer): void {
    length += part.length
    line.push(part)
    if (length > LIMITS.bodyBytes) line = [endsOf(line)]
  }

  async function finish(): Promise<void> {
    input.off('data', take)
    if (open.size > 0 && output.writable) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, GRACE_MS)
        allAnswered = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    await transport.close()
  }

  const end = () => {
    if (length > 0) endLine()
    void finish()
  }

  const gone = () => void transport.close()

  const transport: LineTransport = {
    closed,
    finish,
    drained: async () => draining,
    argumentsOf: (id) => open.get(id),
    async start() {
      input.on('data', take).on('end', end).on('error', gone)
      output.on('error', gone)
    },
    async send(message) {
      if ('id' in message && !('method' in message) && message.id !== undefined) open.delete(message.id)
      await write(message)
      if (open.size === 0) allAnswered()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      allAnswered()
      input.off('data', take).off('end', end).destroy()
      transport.onclose?.()
      closing()
    },
  }
  return transport
}
