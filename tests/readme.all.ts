import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, blocksOf, type Clone, SHOWN_URL, startClone } from './support/clone.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = blocksOf(readme)
const inLanguage = (language: string) => blocks.filter((block) => block.language === language)
const starts = ({ text }: Block) => /\bnpm start\b/.test(text)
const tests = ({ text }: Block) => /\bnpm test\b/.test(text)

let clone: Clone

const bash = (script: string) => clone.bash(script)

/** What a program prints, and whether it failed: a test runner says why on its standard output. */
const run = async (file: string): Promise<{ stdout: string; failed: boolean }> => {
  const program = promisify(execFile)(process.execPath, [file], { cwd: clone.folder, env: clone.environment, maxBuffer: 100_000_000 })
  return program.then(
    ({ stdout }) => ({ stdout, failed: false }),
    (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr, failed: true }),
  )
}

beforeAll(async () => {
  clone = await startClone(inLanguage('sh').find(starts)?.text.replace('npm install && ', '') ?? '')
  const key = readFileSync(join(clone.folder, 'data/admin-key'), 'utf8').trim()
  const { stdout } = await bash('node dist/main.js workspaces add other')
  Object.assign(clone.environment, { CRM_KEY: key, CRM_OTHER_KEY: (JSON.parse(stdout) as { Key: string }).Key })
})

afterAll(() => clone?.close())

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
    const { code } = await transform(text.replaceAll(SHOWN_URL, clone.url), { loader: 'ts' })
    const file = join(clone.folder, `snippet-${i}.mjs`)
    writeFileSync(file, code)
    const { stdout, failed } = await run(file)
    expect(failed, stdout.slice(Math.max(0, stdout.indexOf('not ok'))).slice(0, 10_000)).toBe(false)
    if (text.includes('node:test')) expect(stdout).toMatch(/pass [1-9]/)
  })
})
