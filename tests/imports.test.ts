import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

interface Rule {
  /** Parts of src that may be imported, beside the folder's own. */
  readonly may: readonly string[]
  /** Parts of which only the types may be. */
  readonly types?: readonly string[]
  /** The only packages that may be; node's own modules count as `node:`. Any where not said. */
  readonly packages?: readonly string[]
}

/** Who may import whom. The first folder that a file is in decides; what is in none of them sees everything. */
const RULES: { readonly [folder: string]: Rule } = {
  'contract/': { may: [], packages: ['typebox'] },
  'files/': { may: ['contract/'], packages: [] },
  'core/': { may: ['contract/'], types: ['platforms/platform.ts', 'platforms/store.ts'] },
  'platforms/sql/': { may: ['contract/', 'platforms/platform.ts', 'platforms/store.ts'] },
  'platforms/sqlite/': { may: ['contract/', 'platforms/platform.ts', 'platforms/store.ts', 'platforms/sql/'] },
  'platforms/postgres/': { may: ['contract/', 'platforms/platform.ts', 'platforms/store.ts', 'platforms/sql/'] },
  'platforms/web/': { may: ['contract/', 'platforms/platform.ts'] },
  'platforms/salesforce/': { may: ['contract/', 'platforms/platform.ts', 'platforms/web/'] },
  'platforms/hubspot/': { may: ['contract/', 'platforms/platform.ts', 'platforms/web/'] },
  'platforms/espocrm/': { may: ['contract/', 'platforms/platform.ts', 'platforms/web/'] },
  'platforms/': { may: ['contract/'] },
  'simulators/salesforce/': { may: ['simulators/simulated.ts', 'simulators/faults.ts'], packages: ['node:'] },
  'simulators/hubspot/': { may: ['simulators/simulated.ts', 'simulators/faults.ts'], packages: ['node:'] },
  'simulators/espocrm/': { may: ['simulators/simulated.ts', 'simulators/faults.ts'], packages: ['node:'] },
  'simulators/': { may: [], packages: ['node:'] },
  'transports/sdk/': { may: ['contract/'], packages: ['crm-connector/local'] },
  'transports/mcp/': { may: ['contract/', 'core/'] },
  'transports/http/': { may: ['contract/', 'core/', 'transports/mcp/'] },
  'transports/cli/': { may: ['contract/', 'core/', 'files/'] },
  'testing/': { may: ['contract/', 'core/'], types: ['transports/sdk/'], packages: ['node:'] },
}

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')
const sourcesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const files = sourcesIn(src)
const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[\w*{},\s]+\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

/** What a file imports that its folder may not. */
function forbidden(file: string): string[] {
  const [folder, rule] = Object.entries(RULES).find(([prefix]) => file.startsWith(prefix)) ?? []
  if (folder === undefined || !rule) return []
  return [...readFileSync(join(src, file), 'utf8').matchAll(IMPORT)].flatMap(([, type, from, lazily]) => {
    const name = from ?? lazily ?? ''
    if (!name.startsWith('.'))
      return rule.packages && !rule.packages.some((allowed) => name === allowed || (allowed.endsWith(':') && name.startsWith(allowed))) ? [name] : []
    const target = join(dirname(file), name)
    const allowed = [folder, ...rule.may, ...(type ? (rule.types ?? []) : [])]
    return allowed.some((part) => target.startsWith(part)) ? [] : [target]
  })
}

test('every folder imports only what it may', () => {
  const broken = files.map((file) => [file, forbidden(file)] as const).filter(([, names]) => names.length > 0)
  expect(Object.fromEntries(broken)).toEqual({})
})

test('nothing is exported as a default or wholesale', () => {
  for (const file of files) expect(readFileSync(join(src, file), 'utf8'), file).not.toMatch(/^export (default|\*)/m)
})

/** The only packages that a workspace may import, beside what is its own. */
const WORKSPACES: { readonly [folder: string]: readonly string[] } = {
  'console/src': [
    'crm-connector',
    'crm-connector/contract',
    'crm-connector/files',
    'hucre/xlsx',
    'react',
    'react-dom/client',
    'chart.js',
    '@tanstack/react-virtual',
  ],
}

test.each(Object.keys(WORKSPACES))('%s imports the SDK, the contract and what reads files, and nothing else of the package', (folder) => {
  const broken = sourcesIn(join(root, folder)).flatMap((file) =>
    [...readFileSync(join(root, folder, file), 'utf8').matchAll(IMPORT)].flatMap(([, , from, lazily]) => {
      const name = from ?? lazily ?? ''
      const leaves = name.startsWith('.') ? join(file, '..', name).startsWith('..') : !WORKSPACES[folder]?.includes(name)
      return leaves ? [`${file}: ${name}`] : []
    }),
  )
  expect(broken).toEqual([])
})
