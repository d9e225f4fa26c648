import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../support/cli.ts'
import { shell } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/import-export.md'), 'utf8')

test('docs/import-export.md has commands that do what they say', async () => {
  const cwd = await temporaryFolder()
  const script = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  expect(script).toHaveLength(4)
  const { code, out } = await shell(`set -euo pipefail\n${script.join('')}`, { cwd, env: { HOME: cwd } })
  expect({ code, imported: out.includes('"RecordType":"Lead","Rows":1,"Created":1'), rehearsed: out.includes('"Good":200,"Rejected":0') }).toEqual({
    code: 0,
    imported: true,
    rehearsed: true,
  })
  expect(readFileSync(join(cwd, 'won.csv'), 'utf8')).toMatch(/^OpportunityID,OpportunityName,Amount\r\n\w{20},/)
})

test('docs/import-export.md speaks of flags that exist', async () => {
  const helps = await Promise.all(['import', 'export', 'demo'].map((command) => runHere([command, '--help'])))
  const flags = new Set(helps.flatMap(({ out }) => out.match(/--[a-z][\w-]*/gi) ?? []))
  for (const [flag] of page.matchAll(/--[a-zA-Z][\w-]*/g)) expect(flags).toContain(flag)
})
