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

/** Which folder may import which; `helpers/` may be imported by all. The first folder that a file is in decides; what is in none of them sees everything. */
const PORTS = ['platforms/platform.ts', 'platforms/store.ts']
const RULES: { readonly [folder: string]: Rule } = {
  'helpers/': { may: [], packages: [] },
  'contract/': { may: [], packages: ['typebox'] },
  'files/': { may: ['contract/'], packages: ['hucre/xlsx'] },
  'core/': { may: ['contract/'], types: PORTS },
  'config/': { may: ['contract/', 'core/service.ts', 'platforms/crms/names.ts'], types: ['core/oidc/settings.ts'], packages: ['node:'] },
  'platforms/stores/': { may: ['contract/', 'config/private-folder.ts', ...PORTS] },
  'platforms/crms/engine/': { may: ['contract/', 'platforms/platform.ts'] },
  'platforms/crms/salesforce/': { may: ['contract/', 'platforms/platform.ts', 'platforms/crms/engine/'] },
  'platforms/crms/hubspot/': { may: ['contract/', 'platforms/platform.ts', 'platforms/crms/engine/'] },
  'platforms/crms/espocrm/': { may: ['contract/', 'platforms/platform.ts', 'platforms/crms/engine/'] },
  'platforms/': { may: ['contract/'] },
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
    const allowed = [folder, 'helpers/', ...rule.may, ...(type ? (rule.types ?? []) : [])]
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
  'simulators/src': ['node:*'],
  'console/src': [
    'crm-connector',
    'crm-connector/contract',
    'crm-connector/files',
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
    'react',
    'react-dom',
    'react-dom/client',
    'chart.js',
  ],
}

test.each(Object.keys(WORKSPACES))('%s imports nothing of the package but what it may', (folder) => {
  const broken = sourcesIn(join(root, folder)).flatMap((file) =>
    [...readFileSync(join(root, folder, file), 'utf8').matchAll(IMPORT)].flatMap(([, , from, lazily]) => {
      const name = from ?? lazily ?? ''
      const leaves = name.startsWith('.')
        ? join(file, '..', name).startsWith('..')
        : !(WORKSPACES[folder]?.includes(name) || (name.startsWith('node:') && WORKSPACES[folder]?.includes('node:*')))
      return leaves ? [`${file}: ${name}`] : []
    }),
  )
  expect(broken).toEqual([])
})

test('no files import each other in a circle', () => {
  const imports = new Map(
    ['src', 'console/src', 'simulators/src'].flatMap((folder) =>
      sourcesIn(join(root, folder)).map((file) => {
        const path = join(folder, file)
        const names = [...readFileSync(join(root, path), 'utf8').matchAll(IMPORT)].map(([, , from, lazily]) => from ?? lazily ?? '')
        return [path, names.filter((name) => name.startsWith('.')).map((name) => join(dirname(path), name))] as const
      }),
    ),
  )
  const done = new Set<string>()
  const circles: string[] = []
  function visit(file: string, way: readonly string[]): void {
    const at = way.indexOf(file)
    if (at >= 0) circles.push([...way.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  expect(circles).toEqual([])
})
