import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { collected, type HowToRun, spawnCrm } from './crm.ts'

export interface RunningService {
  readonly url: string
  /** The admin's key, read from its file. */
  readonly key: () => string
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly post: (operation: string, input?: unknown, headers?: Record<string, string>) => Promise<Response>
  /** Executes an operation and resolves to its result. */
  readonly call: (operation: string, input?: unknown) => Promise<Record<string, unknown>>
  /** Sends a signal and resolves to the exit code of the process, or the signal that ended it. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>
}

type HowToServe = Partial<HowToRun> & { readonly flags?: readonly string[]; readonly atEnd?: typeof onTestFinished }

/** The built service in a separate process, on a free port; ended with the test at the latest. Concurrent tests must pass their own `onTestFinished`. */
export async function startService(cwd: string, { flags = [], atEnd = onTestFinished, ...how }: HowToServe = {}): Promise<RunningService> {
  const child = spawnCrm(['serve', ...flags], { ...how, cwd, env: { CRM_PORT: '0', ...how.env } })
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null)
  atEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, found] = /Listening on (\S+)\n/.exec(out()) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then((code) => reject(new Error(`The service ended with ${code} before it listened:\n${out()}\n${err()}`)))
  })

  const key = () => how.env?.CRM_ADMIN_KEY ?? readFileSync(join(cwd, 'data/admin-key'), 'utf8').trim()
  const post: RunningService['post'] = (operation, input = {}, headers = {}) =>
    fetch(`${url}/v1/operations/${operation}`, {
      method: 'POST',
      headers: { authorization: headers.authorization ?? `Bearer ${key()}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    })

  return {
    url,
    key,
    child,
    out,
    err,
    post,
    async call(operation, input) {
      const response = await post(operation, input)
      if (response.status !== 200) throw new Error(`${operation}: ${await response.text()}`)
      return (await response.json()) as Record<string, unknown>
    },
    end(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}
