import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Consumer, consumer, TSC } from './support/consumer.ts'

const root = join(import.meta.dirname, '..')
const example = join(root, 'examples/platform')

let here: Consumer
beforeAll(async () => {
  here = await consumer({ types: true })
})
afterAll(() => here?.close())

test('examples/platform imports only what the package publishes', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
  const published = Object.keys(exports).map((name) => name.replace(/^\./, 'crm-connector'))
  for (const file of readdirSync(join(example, 'src'))) {
    const imports = [...readFileSync(join(example, 'src', file), 'utf8').matchAll(/ from '([^']+)'/g)].map(([, name = '']) => name)
    expect(imports.filter((name) => !name.startsWith('./') && !name.startsWith('node:') && !published.includes(name))).toEqual([])
  }
})

test('examples/platform passes the published suite as a package of its own', async () => {
  const folder = join(here.folder, 'node_modules/crm-notebook')
  cpSync(example, folder, { recursive: true })
  mkdirSync(join(here.folder, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) symlinkSync(join(root, 'node_modules', name), join(here.folder, 'node_modules', name))
  expect(await here.node(TSC, '-p', folder).catch(({ stdout }: { stdout: string }) => stdout)).toBe('')
  const run = promisify(execFile)(process.execPath, ['--test', join(folder, 'dist/conformance.test.js')], { cwd: here.folder, maxBuffer: 100_000_000 })
  const { stdout } = await run.catch((failure: { stdout: string }) => failure)
  expect(stdout).toMatch(/^# fail 0$/m)
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(200)
})
