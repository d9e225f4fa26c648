import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FAULTS, startSimulator } from 'crm-simulators'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CRMS } from '../../src/platforms/crms/registry.ts'
import { runHere } from '../support/cli.ts'
import { collected, shell, spawnCrm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/simulators.md'), 'utf8')
const scripts = [...page.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.replace(/^\$ /, ''))

test('docs/simulators.md has commands that do what they say', async () => {
  const cwd = await temporaryFolder()
  const urls = new Map<string, string>()
  const here = (text: string) => [...urls].reduce((said, [shown, url]) => said.replaceAll(shown, url), text)
  const outs: string[] = []

  /** What runs until it is told to stop, on a free port. */
  async function start(line: string, shown: string): Promise<void> {
    const [, assigned = '', words = ''] = /^((?:\w+=\S+ )*)crm (.*)$/.exec(line.trim()) ?? []
    const env = Object.fromEntries(
      assigned
        .trim()
        .split(' ')
        .filter(Boolean)
        .map((one) => one.split('=')),
    ) as Record<string, string>
    const child = spawnCrm([...words.split(' '), '--port', '0'], { cwd, env })
    onTestFinished(() => void child.kill())
    const [out, err] = [collected(child.stdout), collected(child.stderr)]
    await vi.waitFor(() => expect(`${out()}\n${err()}`).toMatch(/istens? on|istening on|\[\w+\]/), 60_000)
    const [, url] = /isten(?:s|ing) on (http\S+)/.exec(out()) ?? []
    if (url === undefined) throw new Error(err())
    urls.set(shown, url)
  }

  for (const script of scripts) {
    if (/^crm simulate/.test(script)) await start(script, 'http://127.0.0.1:8487')
    else if (/\bcrm serve\b/.test(script)) await start(here(script), 'http://127.0.0.1:8490')
    else {
      const { code, out, err } = await shell(`set -euo pipefail\n${here(script).replaceAll(/^curl/gm, 'curl --fail-with-body')}`, { cwd })
      expect({ script, code, err: code === 0 ? '' : `${out}\n${err}` }).toEqual({ script, code: 0, err: '' })
      outs.push(out)
    }
  }
  const [made = '', own = '', on = '', once = '', itself = ''] = outs
  expect(made).toMatch(/"FirstName":"Ada".*"firstName":"Ada"/s)
  expect(own).toContain('"lastName":"Hopper"')
  expect(on).toContain('drop-after=1x')
  expect(once).toContain('"LastName":"Clarke"')
  // Ada, Grace and Joan, each once.
  expect(itself).toMatch(/^\{"calls":\d+,"faults":\["drop-after=0x:POST \/api\/v1\/Lead"\],"records":\{[^}]*"Lead":3/)
})

test.each(['salesforce', 'hubspot'] as const)('docs/simulators.md drives %s by a client that others wrote', async (name) => {
  const { port, load } = CRMS[name].simulator
  const simulator = await startSimulator(await load())
  onTestFinished(() => simulator.close())
  const shown = `http://127.0.0.1:${port}`
  const [code = ''] = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) => (text.includes(shown) ? [text] : []))
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code.replaceAll(shown, simulator.url)], {
    cwd: import.meta.dirname,
  })
  expect(stdout).toContain("'Hopper'")
})

test('docs/simulators.md has every fault, and no other', () => {
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.*) \| (.*) \|$/gm)].map(([, name, fallback, help]) => [name, { fallback: fallback?.trim(), help }])
  const known = Object.entries(FAULTS).map(([name, { fallback, help }]) => [name, { fallback, help }])
  expect(rows).toEqual(known)
})

test('docs/simulators.md speaks of flags and ports as they are', async () => {
  const { out } = await runHere(['simulate', '--help'])
  for (const [, flag = ''] of page.matchAll(/`(--[a-z-]+)/g)) expect(out).toContain(flag)
  for (const { kind, simulator } of Object.values(CRMS)) expect(page).toContain(`${simulator.port} (${(await kind()).label})`)
})
