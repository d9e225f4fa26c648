import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanEnvironment, collected, spawnCrm } from './support/crm.ts'

const root = join(import.meta.dirname, '..')
const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))

/** Where the package is installed, and a service runs. */
let folder: string
let service: ChildProcess
let env: { [variable: string]: string }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-examples-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/crm-connector'))
  service = spawnCrm(['serve'], { cwd: folder, env: { CRM_PORT: '0', CRM_LOG_LEVEL: 'silent', CRM_WEBHOOK_PRIVATE: 'true' } })
  const out = collected(service.stdout)
  await vi.waitFor(() => expect(out()).toMatch(/^Listening on \S+$/m), 60_000)
  const [, url = ''] = /^Listening on (\S+)$/m.exec(out()) ?? []
  env = cleanEnvironment({ CRM_URL: url, CRM_KEY: readFileSync(join(folder, 'data/admin-key'), 'utf8').trim() })
})
afterAll(async () => {
  const ended = once(service, 'close')
  service.kill()
  await ended
  await rm(folder, { recursive: true, force: true })
})

async function run(name: string, source: string): Promise<string> {
  const { code } = await transform(source, { loader: 'ts' })
  const file = join(folder, `${basename(name, '.ts')}.mjs`)
  writeFileSync(file, code)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env })
  return stdout
}

describe('examples/', () => {
  test.each(examples)('%s does what it says', async (name) => {
    const source = readFileSync(join(root, 'examples', name), 'utf8')
    expect(source).toMatch(/\bassert\b/)
    expect(await run(name, source)).not.toBe('')
  })

  test('are all in its README', () => {
    const links = [...readFileSync(join(root, 'examples/README.md'), 'utf8').matchAll(/\]\(([^)]+\.ts)\)/g)].map(([, link]) => link)
    expect(links.toSorted()).toEqual(examples.toSorted())
  })
})

test('docs/sdk.md is a program that runs from top to bottom', async () => {
  const blocks = [...readFileSync(join(root, 'docs/sdk.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  const out = await run('sdk.ts', blocks.join('\n').replaceAll("'http://127.0.0.1:8484'", 'process.env.CRM_URL'))
  expect(out).toContain('Ada Lovelace')
})
