import type { IncomingMessage, ServerResponse } from 'node:http'
import { drained } from './ndjson.ts'
import { commonHeaders, JSON_TYPE, respond } from './response.ts'
import { SSE_TYPE } from './server-sent-events.ts'

/** Node's request as a standard Request, without its body and its key. */
export function toFetchRequest({ method = 'GET', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'authorization' ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  )
  return new Request(new URL(url, 'http://localhost'), { method, headers: lines, signal })
}

const PASSED = ['Allow', 'Mcp-Session-Id']

/** Sends a standard Response: in one write, or piece by piece where it is an event stream. */
export async function sendFetchResponse(raw: ServerResponse, requestId: string, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? JSON_TYPE
  const passed = PASSED.flatMap((name) => (response.headers.has(name) ? [name, response.headers.get(name) as string] : []))
  if (response.body === null || !type.startsWith(SSE_TYPE)) {
    respond(raw, requestId, response.status, type, await response.text(), passed)
    return
  }
  if (raw.headersSent || raw.destroyed) return
  raw.writeHead(response.status, [...commonHeaders(requestId, SSE_TYPE), 'X-Accel-Buffering', 'no', ...passed])
  for await (const chunk of response.body) {
    if (raw.destroyed) break
    if (!raw.write(chunk)) await drained(raw)
  }
  raw.end()
}
