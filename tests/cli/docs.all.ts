import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS_TABLE } from '../../src/config/settings.ts'
import { runHere } from '../support/cli.ts'
import { shell } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => ({ language, text }))

test('docs/cli.md has commands that do what they say', async () => {
  const cwd = await temporaryFolder()
  const script = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
  expect(script.length).toBeGreaterThan(4)
  const { code, err } = await shell(`set -euo pipefail\n${script.join('')}`, { cwd, env: { HOME: cwd } })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(readFileSync(join(cwd, 'leads.csv'), 'utf8')).toMatch(/^LeadID,LastName,Email\r\n\w{20},/)
})

test('docs/cli.md shows an error as it is', async () => {
  const [, line = '', shown = ''] =
    /\$ crm (create_a_lead .*)\n([\s\S]*)/.exec(blocks.find(({ text }) => text.includes('create_a_lead --FirstName Ada --Email'))?.text ?? '') ?? []
  expect((await runHere(line.split(' '), { env: { CRM_PLATFORM: 'sqlite::memory:' } })).err).toBe(shown)
})

test('docs/cli.md speaks of commands, flags and variables that exist', async () => {
  const { out } = await runHere(['--help'])
  const commands = [...out.matchAll(/^ {2}([\w-]+) {2,}/gm)].map(([, name]) => name)
  for (const [, name] of page.matchAll(
    /`(?:crm )?((?:serve|login|logout|doctor|tail|export|import|completion|workspaces|backup|restore|migrate-store|secrets|batch)\b)/g,
  ))
    expect(commands).toContain(name)
  const variables = [...Object.values(SETTINGS_TABLE).map(({ variable }) => variable as string), 'NO_COLOR', 'FORCE_COLOR']
  for (const [name] of page.matchAll(/\b(?:CRM_[A-Z_]+|[A-Z]+_COLOR)\b/g)) expect(variables).toContain(name)
})
