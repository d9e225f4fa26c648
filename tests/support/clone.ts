import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { cleanEnvironment, collected } from './crm.ts'

const root = join(import.meta.dirname, '../..')
const NOT_COPIED = ['node_modules', 'dist', 'data', '.git', 'coverage']

/** The address at which the pages say that the service listens. */
export const SHOWN_URL = 'http://127.0.0.1:8484'

export interface Block {
  readonly language: string
  readonly text: string
  /** The first line, to call it by. */
  readonly name: string
}

/** The blocks of code of a page, also those inside lists. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', body = '']) => {
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return { language, text, name: text.split('\n')[0] ?? '' }
  })

/** A fresh copy of the repository, in which `npm install` has been run, with the service that `npm start` starts. */
export interface Clone {
  readonly folder: string
  readonly url: string
  /** Also those that are added to it. */
  readonly environment: { [variable: string]: string }
  bash(script: string): Promise<{ readonly stdout: string; readonly stderr: string }>
  close(): Promise<void>
}

export async function startClone(start: string): Promise<Clone> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-clone-'))
  cpSync(root, folder, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) || dirname(path) !== root })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const environment = cleanEnvironment({ CRM_PORT: '0', CRM_LOG_LEVEL: 'silent', npm_config_update_notifier: 'false' })
  const service = spawn('bash', ['-c', start], { cwd: folder, env: environment, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const out = collected(service.stdout)
  await vi.waitFor(() => expect(out()).toMatch(/^Listening on \S+$/m), 60_000)
  const url = /^Listening on (\S+)$/m.exec(out())?.[1] ?? ''
  return {
    folder,
    url,
    environment,
    bash: (script) => promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script.replaceAll(SHOWN_URL, url)], { cwd: folder, env: environment }),
    async close() {
      await endGroup(service)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Ends a process with those that it has started. */
export async function endGroup(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close')
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  await ended
}
