import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanEnvironment, collected } from './support/crm.ts'

const root = join(import.meta.dirname, '..')
const NOT_COPIED = ['node_modules', 'dist', 'data', '.git', 'coverage']
const SHOWN_URL = 'http://127.0.0.1:8484'

interface Block {
  readonly language: string
  readonly text: string
  /** The first line, to call it by. */
  readonly name: string
}

const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text, name: text.split('\n')[0] ?? '' }))

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = blocksOf(readme)
const inLanguage = (language: string) => blocks.filter((block) => block.language === language)
const starts = ({ text }: Block) => /\bnpm start\b/.test(text)
const tests = ({ text }: Block) => /\bnpm test\b/.test(text)

/** A fresh copy of the repository, in which `npm install` has been run. */
let copy: string
let service: ChildProcess
let url: string
let out: () => string
let environment: { [variable: string]: string }

const bash = (script: string) => promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script.replaceAll(SHOWN_URL, url)], { cwd: copy, env: environment })

/** What a program prints, and whether it failed: a test runner says why on its standard output. */
const run = async (file: string): Promise<{ stdout: string; failed: boolean }> => {
  const program = promisify(execFile)(process.execPath, [file], { cwd: copy, env: environment, maxBuffer: 100_000_000 })
  return program.then(
    ({ stdout }) => ({ stdout, failed: false }),
    (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr, failed: true }),
  )
}

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'crm-readme-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) || dirname(path) !== root })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  environment = cleanEnvironment({ CRM_PORT: '0', CRM_LOG_LEVEL: 'silent', npm_config_update_notifier: 'false' })
  const start = inLanguage('sh').find(starts)?.text.replace('npm install && ', '') ?? ''
  service = spawn('bash', ['-c', start], { cwd: copy, env: environment, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  out = collected(service.stdout)
  await vi.waitFor(() => expect(out()).toMatch(/^Listening on \S+$/m), 60_000)
  url = /^Listening on (\S+)$/m.exec(out())?.[1] ?? ''
  const key = readFileSync(join(copy, 'data/admin-key'), 'utf8').trim()
  const { stdout } = await bash('node dist/main.js workspaces add other')
  Object.assign(environment, { CRM_KEY: key, CRM_OTHER_KEY: (JSON.parse(stdout) as { Key: string }).Key })
})

afterAll(async () => {
  const ended = once(service, 'close')
  if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM')
  await ended
  await rm(copy, { recursive: true, force: true })
})

describe('the README', () => {
  test('begins with one line that starts the service and one that tests it', () => {
    expect(inLanguage('sh').filter(starts)).toHaveLength(1)
    expect(inLanguage('sh').filter(tests)).toHaveLength(1)
  })

  test('has commands that do what they say', async () => {
    for (const { name, text } of inLanguage('sh').filter((block) => !starts(block) && !tests(block))) {
      const { stdout } = await bash(text)
      const answers = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(answers.length, name).toBeGreaterThan(0)
    }
  })

  test('shows answers as they are', async () => {
    for (const [i, block] of blocks.entries()) {
      const before = blocks[i - 1]
      if (block.language !== 'json' || before?.language !== 'sh') continue
      const shown = JSON.parse(block.text) as Record<string, unknown>
      const { stdout } = await bash(before.text)
      const answer = JSON.parse(stdout) as Record<string, unknown>
      expect(Object.keys(answer)).toEqual(Object.keys(shown))
      const given = (record: Record<string, unknown>) => Object.entries(record).filter(([name]) => !/(ID|Date)$/.test(name))
      expect(given(answer)).toEqual(given(shown))
    }
  })

  // One of them is the whole conformance suite over HTTP.
  test.each(inLanguage('ts').map((block, i) => [i, block] as const))('has TypeScript that runs (%i)', async (i, { text }) => {
    const { code } = await transform(text.replaceAll(SHOWN_URL, url), { loader: 'ts' })
    const file = join(copy, `snippet-${i}.mjs`)
    writeFileSync(file, code)
    const { stdout, failed } = await run(file)
    expect(failed, stdout.slice(Math.max(0, stdout.indexOf('not ok'))).slice(0, 10_000)).toBe(false)
    if (text.includes('node:test')) expect(stdout).toMatch(/pass [1-9]/)
  })
})
