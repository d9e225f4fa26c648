import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultPrefix } from '../src/config/crm-settings.ts'
import { secretVariable } from '../src/config/secrets.ts'
import { SETTINGS_TABLE } from '../src/config/settings.ts'
import { OPERATIONS } from '../src/contract/operations.ts'
import { CRM_NAMES } from '../src/platforms/crms/names.ts'
import { CRMS } from '../src/platforms/crms/registry.ts'

const root = join(import.meta.dirname, '..')

/** What the secrets of CRMs are given in. */
const secrets = (
  await Promise.all(CRM_NAMES.map(async (name) => Object.keys((await CRMS[name].kind()).secrets).map((secret) => secretVariable(defaultPrefix(name), secret))))
).flat()

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/design.md',
  'docs/README.md',
  'docs/tutorial.md',
  'docs/console.md',
  'docs/connections.md',
  'docs/sign-in.md',
  'docs/simulators.md',
  'docs/stores.md',
  'SECURITY.md',
]

describe.each(PAGES)('%s', (file) => {
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

test('nothing shows a command for a package that is not published, or a placeholder as the address of the project', () => {
  const files = execFileSync('git', ['ls-files', '*.md', '*.json', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const wrong = /npx -y crm-connector|"-y", "crm-connector"|crm-connector\.example/
  expect(files.filter((file) => file !== 'tests/docs.test.ts' && wrong.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
