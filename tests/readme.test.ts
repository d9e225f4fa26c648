import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { defaultPrefix } from '../src/config/crm-settings.ts'
import { secretVariable } from '../src/config/secrets.ts'
import { SETTINGS_TABLE } from '../src/config/settings.ts'
import { OPERATIONS } from '../src/contract/operations.ts'
import { CRM_NAMES } from '../src/platforms/crms/names.ts'
import { CRMS } from '../src/platforms/crms/registry.ts'
import { cleanEnvironment, collected } from './support/crm.ts'
import { ALL } from './support/lane.ts'

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

  // One of them is the whole conformance suite over HTTP, of which `npm test` runs a few behaviours.
  test.each(inLanguage('ts').map((block, i) => [i, block] as const))('has TypeScript that runs (%i)', async (i, { text }) => {
    const { code } = await transform(text.replaceAll(SHOWN_URL, url), { loader: 'ts' })
    const file = join(copy, `snippet-${i}.mjs`)
    writeFileSync(file, code)
    const flags = ALL ? [] : ['--test-name-pattern=all 27 operations']
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, file], { cwd: copy, env: environment, maxBuffer: 100_000_000 })
    if (text.includes('node:test')) expect(stdout).toMatch(/pass [1-9]/)
  })
})

/** What the secrets of CRMs are given in. */
const secrets = (
  await Promise.all(CRM_NAMES.map(async (name) => Object.keys((await CRMS[name].kind()).secrets).map((secret) => secretVariable(defaultPrefix(name), secret))))
).flat()

describe.each(['README.md', 'CONTRIBUTING.md', 'docs/design.md', 'docs/console.md', 'docs/simulators.md', 'docs/stores.md', 'SECURITY.md'])('%s', (file) => {
  const text = readFileSync(join(root, file), 'utf8')

  test('links to what is there', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link))
    expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([])
  })

  test('speaks of scripts, operations and variables that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    const known = {
      scripts: Object.keys(scripts),
      operations: OPERATIONS.map(({ id }) => id),
      variables: [
        ...Object.values(SETTINGS_TABLE).map(({ variable }) => variable),
        ...secrets,
        'CRM_KEY',
        'CRM_OTHER_KEY',
        'CRM_TEST_CHROMIUM',
        'CRM_TEST_POSTGRES',
      ] as string[],
    }
    const said = {
      scripts: [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
      operations: [...text.matchAll(/`((?:get|create|update|delete|add|remove|revoke)_\w+)`/g)].map(([, name = '']) => name),
      variables: [...text.matchAll(/\bCRM_[A-Z_]+\b/g)].map(([name]) => name),
    }
    for (const kind of ['scripts', 'operations', 'variables'] as const) expect(said[kind].filter((name) => !known[kind].includes(name))).toEqual([])
  })
})
