import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { blocksOf, type Clone, endGroup, startClone } from './support/clone.ts'
import { collected } from './support/crm.ts'

const docs = join(import.meta.dirname, '../docs')
const read = (page: string) => readFileSync(join(docs, page), 'utf8')

/** In the order of the index, and each with something to run. */
const PAGES = [...read('README.md').matchAll(/^- \[[^\]]+\]\(([^)#]+)\)/gm)]
  .map(([, page = '']) => page)
  .filter((page) => blocksOf(read(page)).some(({ language }) => language === 'sh'))

/** What runs in a terminal of its own until it is stopped. */
const SERVES = /^\$ ((?:\w+=\S+ )*)crm (simulate|serve) (.*)$/m

let clone: Clone
beforeAll(async () => {
  clone = await startClone('npm start')
  // crm is on the path, as the index says.
  const { folder } = clone
  await clone.bash(`mkdir bin-here && ln -s ${folder}/bin/crm.js bin-here/crm`)
  Object.assign(clone.environment, { PATH: `${folder}/bin-here:${clone.environment.PATH}`, HOME: folder })
})
afterAll(() => clone?.close())

/** Starts what a block serves, on a free port. Resolves to its address, and how to end it. */
async function served([, assigned = '', kind = '', words = '']: readonly string[]): Promise<{ url: string; end: () => Promise<void> }> {
  const line = `${assigned}exec crm ${kind} ${words.replace(/ --port \d+/, '')} --port 0`
  const child = spawn('bash', ['-c', line], { cwd: clone.folder, env: clone.environment, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const out = collected(child.stdout)
  await vi.waitFor(() => expect(out()).toMatch(/istens? on|istening on/), 60_000)
  return { url: /isten(?:s|ing) on (http\S+)/.exec(out())?.[1] ?? '', end: () => endGroup(child) }
}

const SHOWN = { simulate: 'http://127.0.0.1:8487', serve: 'http://127.0.0.1:8490' } as const

test('every page that is run is in the index', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['tutorial.md', 'cli.md', 'import-export.md', 'journal.md', 'stores.md', 'workspaces.md', 'simulators.md']))
})

// One after the other, in one store.
test.each(PAGES)('docs/%s runs as it is written, from its first command to its last', async (page) => {
  const urls = new Map<string, string>()
  const here = (text: string) => [...urls].reduce((said, [shown, url]) => said.replaceAll(shown, url), text)
  const ends: (() => Promise<void>)[] = []
  // Definitions of a block hold in the next ones, as in a shell.
  let script = ''
  const run = async () => {
    if (script === '') return
    const { stdout } = await clone.bash(here(script)).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${page}: ${error.stdout}\n${error.stderr}`)
    })
    script = ''
    // curl succeeds also where the service refuses.
    expect(stdout).not.toMatch(/"status":[45]\d\d/)
  }
  try {
    for (const { language, text } of blocksOf(read(page))) {
      const server = language === 'console' ? SERVES.exec(here(text)) : null
      if (server) {
        await run()
        const { url, end } = await served(server)
        urls.set(SHOWN[server[2] as keyof typeof SHOWN], url)
        ends.push(end)
      } else if (language === 'sh') script += text
    }
    await run()
  } finally {
    for (const end of ends.reverse()) await end()
  }
})

test('what is not run says so: it needs something of the reader, and begins with $', () => {
  for (const page of PAGES) for (const { language, name } of blocksOf(read(page))) if (language === 'console') expect(name).toMatch(/^\$ /)
})
