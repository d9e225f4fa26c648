import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdtemp, open, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { owner, postgresBinaries } from './postgres-binaries.ts'
import { configuration, follow, give } from './postgres-data.ts'
import { ask, createDatabase } from './postgres-database.ts'

export interface PostgresServer {
  /** The URL of the database `postgres`, as a superuser. */
  readonly url: string
  readonly port: number
  /** The data directory. */
  readonly folder: string
  /** Creates a database, and resolves to its URL. */
  database(name?: string): Promise<string>
  /** `fast` rolls back open transactions, `immediate` leaves that to the next start, `kill` sends SIGKILL to all its processes. */
  stop(mode?: keyof typeof SIGNALS | 'kill'): Promise<void>
  /** Restarts it on the same port with the same data. */
  start(): Promise<void>
  /** Starts a hot standby of this server. */
  standby(): Promise<PostgresServer>
  /** Promotes a standby. */
  promote(): Promise<void>
  /** Stops the server and removes its data. This also happens when the process that started it ends. */
  remove(): Promise<void>
}

export interface PostgresOptions {
  /** Lines of postgresql.conf, by name. */
  readonly settings?: Readonly<Record<string, string | number>>
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

const USER = 'crm'
/** With characters that have to be escaped in a URL. */
const PASSWORD = 'p@ss:w/rd?#%41&=+ x'

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '16MB',
  // WAL is retained for standbys that are starting or stopped.
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '200ms',
}

/**
 * A linguistic collation, as most servers have. The service must return the same order on every server, so it must not rely on the
 * default collation.
 */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']

/** Runs in a folder it has access to, without the developer's locale and PGHOST. */
const AS_SERVER = { ...owner, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' } }

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A real PostgreSQL server in a folder of its own, on a free port of this machine. */
export async function startPostgres({ settings = {} }: PostgresOptions = {}): Promise<PostgresServer> {
  return serve(async (folder) => {
    const secret = `${folder}.secret`
    await writeFile(secret, PASSWORD)
    await give(secret)
    const initdb = join(await postgresBinaries(), 'bin/initdb')
    const access = [`--username=${USER}`, `--pwfile=${secret}`, '--auth=scram-sha-256']
    await promisify(execFile)(initdb, [`--pgdata=${folder}`, ...access, ...LOCALE, '--no-sync', '--no-instructions'], AS_SERVER)
    await appendFile(join(folder, 'postgresql.conf'), configuration({ ...SETTINGS, ...settings }))
  })
}

async function serve(fill: (folder: string) => Promise<void>): Promise<PostgresServer> {
  const binaries = await postgresBinaries()
  const home = await mkdtemp(join(tmpdir(), 'crm-postgres-'))
  const guard = guarded(home)
  const folder = join(home, 'data')
  const log = join(home, 'log')
  const port = await freePort()
  const url = `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  let running: ChildProcess | undefined

  async function launch(): Promise<void> {
    const output = await open(log, 'w')
    const server = spawn(join(binaries, 'bin/postgres'), ['-D', folder, '-p', String(port)], { ...AS_SERVER, stdio: ['ignore', output.fd, output.fd] })
    const spawned = once(server, 'spawn')
    server.once('exit', () => {
      running = undefined
      guard.watch(undefined)
    })
    running = server
    guard.watch(server.pid)
    await output.close()
    await spawned
    while (running && !(await isReady(folder, server.pid))) await pause(10)
  }

  async function start(): Promise<void> {
    if (running) return
    for (let tries = 0; tries < 100; tries++) {
      await launch()
      if (running) return
      // After a crash, old processes may take a moment to exit.
      if (!(await readFile(log, 'utf8')).includes('is still in use')) break
      await pause(100)
    }
    throw new Error(`PostgreSQL did not start:\n${await readFile(log, 'utf8')}`)
  }

  const stop: PostgresServer['stop'] = async (mode = 'fast') => {
    const server = running
    if (!server) return
    const exit = once(server, 'exit')
    if (mode === 'kill') await crash(server)
    else server.kill(SIGNALS[mode])
    await exit
  }

  async function remove(): Promise<void> {
    await stop('immediate')
    await guard.end()
  }

  const server: PostgresServer = {
    url,
    port,
    folder,
    database: (name) => createDatabase(url, name),
    stop,
    start,
    standby: () => serve((copy) => follow(url, folder, copy)),
    async promote() {
      const [answer] = await ask(url, 'SELECT pg_promote(true, 60) AS done')
      if (!answer?.done) throw new Error('The standby was not promoted within a minute.')
    },
    remove,
  }
  try {
    await give(home)
    await fill(folder)
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  return server
}

/** A process that stops the server and removes the folder, on request or when this process ends. */
function guarded(home: string) {
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'postgres-guard.js'), home], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  ;(guard.stdin as Socket).unref()
  const exit = once(guard, 'exit')
  return {
    watch: (server: number | undefined) => guard.stdin.write(`${server ?? ''}\n`),
    async end() {
      guard.ref()
      guard.stdin.end()
      await exit
    },
  }
}

/** The server writes its status to postmaster.pid, which pg_ctl reads too. */
async function isReady(folder: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/** Kills a server with its child processes, where the system lists these. */
async function crash(server: ChildProcess): Promise<void> {
  server.kill('SIGSTOP')
  const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').catch(() => '')
  server.kill('SIGKILL')
  for (const child of children.split(' ').filter(Boolean)) {
    try {
      process.kill(Number(child), 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
}

/**
 * A port below the ephemeral range: an outgoing connection could otherwise take the port of a stopped server, even one of a client
 * that tries to reach that server.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
