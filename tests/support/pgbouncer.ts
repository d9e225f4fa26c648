import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from './folder.ts'
import { owner } from './postgres-binaries.ts'

/** The path of PgBouncer, which no npm package contains; undefined if it is not installed. */
export const PGBOUNCER = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].map((folder) => join(folder, 'pgbouncer')).find(existsSync)

/** Runs PgBouncer in transaction mode in front of a server until the test ends. Resolves to its URL. */
export async function throughPgbouncer(url: string, connections: number): Promise<string> {
  const folder = await temporaryFolder()
  const to = new URL(url)
  const port = 32_000 + Math.floor(Math.random() * 500)
  const quoted = (text: string) => `'${decodeURIComponent(text).replaceAll("'", "''")}'`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${to.hostname} port=${to.port} user=${to.username} password=${quoted(to.password)}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${connections}`,
      'max_client_conn = 200',
    ].join('\n'),
  )
  await chmod(folder, 0o755)
  const child = spawn(PGBOUNCER ?? 'pgbouncer', ['-q', file], { ...owner, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGINT'))
  await vi.waitFor(() => reachable(port), 60_000)
  return `postgres://anyone@127.0.0.1:${port}${to.pathname}`
}

function reachable(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
  })
}
