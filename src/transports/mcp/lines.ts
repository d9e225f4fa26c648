import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { LIMITS } from '../../contract/limits.ts'
import { isObject } from './shorten.ts'

/** How long what is under way may take once nothing more comes in. */
const GRACE_MS = 4500

export interface LineTransport extends Transport {
  /** Takes nothing more, waits for what is under way, and closes. */
  finish(): Promise<void>
  /** Resolves once it is closed. */
  readonly closed: Promise<void>
}

/**
 * Carries messages over a pair of streams, one a line. What cannot be read is answered with what is wrong with it, and the next line is
 * another chance. When the input ends, what was asked before is still answered.
 */
export function lineTransport(input: Readable, output: Writable): LineTransport {
  /** Requests that wait for their answer. */
  const asked = new Set<string | number>()
  let line: Buffer[] = []
  let length = 0
  let over = false
  let settled = () => {}
  let closing = () => {}
  const closed = new Promise<void>((resolve) => {
    closing = resolve
  })

  const write = (message: object) => {
    if (!output.writable) return Promise.resolve()
    return new Promise<void>((resolve) => {
      if (output.write(`${JSON.stringify(message)}\n`)) resolve()
      else output.once('drain', resolve).once('close', resolve)
    })
  }

  const refuse = (code: number, message: string, id?: unknown) => {
    void write({ jsonrpc: '2.0', ...((typeof id === 'string' || typeof id === 'number') && { id }), error: { code, message } })
  }

  function receive(text: string): void {
    if (text.trim() === '') return
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
    if ('method' in message && 'id' in message) asked.add(message.id)
    // What was called off is not answered.
    if ('method' in message && message.method === 'notifications/cancelled') asked.delete(message.params?.requestId as string | number)
    transport.onmessage?.(message)
  }

  function endLine(): void {
    const whole = length <= LIMITS.bodyBytes ? Buffer.concat(line).toString('utf8') : undefined
    line = []
    length = 0
    if (whole === undefined)
      refuse(ProtocolErrorCode.InvalidRequest, `Invalid request: the line is longer than ${LIMITS.bodyBytes.toLocaleString('en')} bytes.`)
    else receive(whole)
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

  /** Of a line that is too long nothing is kept. */
  function add(part: Buffer): void {
    length += part.length
    if (length <= LIMITS.bodyBytes) line.push(part)
    else line = []
  }

  async function finish(): Promise<void> {
    input.off('data', take)
    if (asked.size > 0 && output.writable) {
      await new Promise<void>((resolve) => {
        const patience = setTimeout(resolve, GRACE_MS)
        settled = () => {
          clearTimeout(patience)
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
    async start() {
      input.on('data', take).on('end', end).on('error', gone)
      output.on('error', gone)
    },
    async send(message) {
      if ('id' in message && !('method' in message) && message.id !== undefined) asked.delete(message.id)
      await write(message)
      if (asked.size === 0) settled()
    },
    async close() {
      if (over) return
      over = true
      settled()
      input.off('data', take).off('end', end).destroy()
      transport.onclose?.()
      closing()
    },
  }
  return transport
}
