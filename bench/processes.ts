import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Starts a program and waits until it prints its address. */
export async function start(
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): Promise<{ url: string; process: ChildProcess; stop(): Promise<void> }> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'], cwd, env: { ...process.env, ...env } })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
      const [, at] = /Listening on (\S+)/.exec(output) ?? []
      if (at) resolve(at)
    })
    child.on('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code} before it listened`)))
  })
  return {
    url,
    process: child,
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

/** Starts the service on a store in this folder, from this build or another. */
export async function startService(folder: string, env: NodeJS.ProcessEnv = {}, build = '.') {
  const service = await start([resolve(build, 'dist/main.js'), 'serve'], { CRM_PLATFORM: `sqlite:${join(folder, 'crm.db')}`, CRM_PORT: '0', ...env }, folder)
  return { ...service, key: env.CRM_ADMIN_KEY ?? readFileSync(join(folder, 'admin-key'), 'utf8').trim() }
}

/** Microseconds of CPU time that a process has used, of its own and in the kernel for it. Clock ticks are a hundredth of a second on Linux. */
export function cpuMicroseconds(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? []
  return 10_000 * (Number(user) + Number(system))
}

/** Resident memory of a process in megabytes. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
