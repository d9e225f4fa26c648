import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Installed, root, run } from './install.ts'

export type Row = { readonly [member: string]: unknown }

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Polls until the answer is right, or the time is over. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, seconds: number): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) return answer
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s.`)
    await sleep(250)
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await ended
  clearTimeout(late)
}

export interface CrmService {
  readonly url: string
  readonly key: string
  call(operation: string, input?: unknown): Promise<Row>
  stop(): Promise<void>
}

/** The built service on a store of its own, whose webhooks may call this machine. */
export async function startCrm(folder: string): Promise<CrmService> {
  mkdirSync(folder, { recursive: true })
  const env = { ...process.env, CRM_PORT: '0', CRM_WEBHOOK_PRIVATE: 'true', CRM_WEBHOOK_BACKOFF: '1', CRM_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const url = await until('The service listens', async () => /Listening on (\S+)/.exec(out)?.[1], 30)
  const key = readFileSync(join(folder, 'data/admin-key'), 'utf8').trim()
  return {
    url,
    key,
    async call(operation, input = {}) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(`${url}/v1/operations/${operation}`, { method: 'POST', headers, body: JSON.stringify(input) })
      const body = await response.text()
      if (!response.ok) throw new Error(`${operation}: ${body}`)
      return JSON.parse(body) as Row
    },
    stop: () => end(child),
  }
}

export interface N8n {
  readonly home: string
  readonly url: string
  /** Runs a command of n8n to its end. */
  command(...words: string[]): Promise<string>
  /** Starts n8n as a server, and signs in as its owner. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Calls n8n's internal API, as its editor does. */
  rest(method: string, path: string, body?: unknown): Promise<unknown>
}

const OWNER = { email: 'owner@example.com', firstName: 'Ada', lastName: 'Lovelace', password: 'Analytical-1843' }

/** An n8n with its own home folder and no telemetry. */
export async function prepareN8n({ node, n8n }: Installed, folder: string): Promise<N8n> {
  const home = mkdtempSync(join(folder, 'n8n-'))
  const port = await freePort()
  const env: NodeJS.ProcessEnv = {
    PATH: `${join(node, '..')}:${process.env.PATH}`,
    HOME: home,
    N8N_USER_FOLDER: home,
    N8N_PORT: String(port),
    N8N_HOST: '127.0.0.1',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    N8N_RUNNERS_BROKER_PORT: String(await freePort()),
    N8N_SECURE_COOKIE: 'false',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    GENERIC_TIMEZONE: 'Europe/Berlin',
  }
  const base = `http://127.0.0.1:${port}`
  let server: ChildProcess | undefined
  let cookie = ''
  let known = false

  async function rest(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', 'browser-id': 'test-n8n', cookie }
    const response = await fetch(base + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const [set] = response.headers.getSetCookie()
    if (set) cookie = set.split(';')[0] ?? ''
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 2000)}`)
    return (JSON.parse(text) as { data?: unknown }).data ?? JSON.parse(text)
  }

  return {
    home,
    url: base,
    rest,
    command: (...words) => run(node, [n8n, ...words], home, env),
    async start() {
      server = spawn(node, [n8n, 'start'], { cwd: home, env, stdio: ['ignore', 'ignore', 'ignore'] })
      await until('n8n is ready', async () => ((await fetch(`${base}/healthz/readiness`)).ok ? true : undefined), 120)
      if (known) return
      await until('n8n has an owner', () => rest('POST', '/rest/owner/setup', OWNER), 60)
      known = true
    },
    async stop() {
      if (server) await end(server)
      server = undefined
    },
  }
}
