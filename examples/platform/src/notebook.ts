import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Row = { [name: string]: unknown }

/** The CRM itself: lists of rows in memory, behind an HTTP API. It stands for the one that you want to connect. */
export async function startNotebook(token: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const lists = new Map<string, Map<string, Row>>()
  let last = 0

  function answer(method: string, url: URL, body: Row): [status: number, body?: unknown] {
    const [, list = '', id] = url.pathname.split('/').map(decodeURIComponent)
    const rows = lists.get(list) ?? new Map<string, Row>()
    lists.set(list, rows)
    const row = id === undefined ? undefined : rows.get(id)
    const now = new Date().toISOString()
    if (method === 'POST') {
      const made: Row = { id: String(++last).padStart(12, '0'), ...body, created: now, updated: now }
      rows.set(String(made.id), rows.get(String(made.id)) ?? made)
      return [201, rows.get(String(made.id))]
    }
    if (id === undefined) return [200, found([...rows.values()], url.searchParams)]
    if (!row) return [404, { message: `There is no ${id} in ${list}.` }]
    if (method === 'PATCH') Object.assign(row, body, { updated: now })
    if (method === 'DELETE') rows.delete(id)
    return method === 'DELETE' ? [204] : [200, row]
  }

  // Filters are part of the address, and may be long.
  const server = createServer({ maxHeaderSize: 1_000_000 }, async (request, response) => {
    const body = await bodyOf(request)
    const isAllowed = request.headers.authorization === `Bearer ${token}`
    const [status, answered] = isAllowed
      ? answer(request.method ?? 'GET', new URL(request.url ?? '/', 'http://notebook'), body)
      : [401, { message: 'The token is not valid.' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(answered === undefined ? undefined : JSON.stringify(answered))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The rows that have these values, from the one after `_after` on. */
function found(rows: readonly Row[], query: URLSearchParams): { rows: readonly Row[]; total: number; next?: string } {
  const wanted = rows.filter((row) => [...query].every(([name, value]) => name.startsWith('_') || row[name] === value))
  const from = wanted.findIndex(({ id }) => String(id) > (query.get('_after') ?? ''))
  const page = from < 0 ? [] : wanted.slice(from, from + Number(query.get('_limit') ?? 100))
  const more = from >= 0 && from + page.length < wanted.length && page.length > 0
  return { rows: page, total: wanted.length, ...(more && { next: String(page.at(-1)?.id) }) }
}

async function bodyOf(request: IncomingMessage): Promise<Row> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text === '' ? {} : (JSON.parse(text) as Row)
}
