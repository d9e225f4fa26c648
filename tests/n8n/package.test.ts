import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withDefaults } from './displayed.ts'
import { loadNodes } from './nodes.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'n8n')
const read = <T>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as T
const { CrmConnector } = await loadNodes()

interface Package {
  readonly version: string
  readonly dependencies?: object
  readonly devDependencies?: object
  readonly peerDependencies: object
  readonly peerDependenciesMeta: object
  readonly n8n: { readonly nodes: readonly string[]; readonly credentials: readonly string[] }
}

describe('the package', () => {
  const described = read<Package>('n8n/package.json')

  test('needs nothing but what n8n brings, which nobody else has to install', () => {
    expect([described.dependencies, described.devDependencies]).toEqual([undefined, undefined])
    expect([described.peerDependencies, described.peerDependenciesMeta]).toEqual([{ 'n8n-workflow': '*' }, { 'n8n-workflow': { optional: true } }])
    const sources = ['nodes', 'credentials'].flatMap((part) =>
      readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' }).map((name) => join(part, name)),
    )
    const imported = sources
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(([, from]) => from))
    expect([...new Set(imported)].sort()).toEqual(['n8n-workflow', 'node:crypto'])
  })

  test('names what is there, and has the version of the service', () => {
    for (const file of [...described.n8n.nodes, ...described.n8n.credentials])
      expect(existsSync(join(folder, file.replace(/^dist\//, '').replace(/js$/, 'ts'))), file).toBe(true)
    expect(described.version).toBe(read<Package>('package.json').version)
  })
})

test('the example is a workflow of ten steps whose parameters are all there', () => {
  const { nodes, connections } = read<{
    nodes: { name: string; type: string; parameters: { [name: string]: unknown } }[]
    connections: { [from: string]: unknown }
  }>('examples/n8n-workflow.json')
  const ours = nodes.filter(({ type }) => type === 'n8n-nodes-crm-connector.crmConnector')
  for (const { name, parameters } of ours) expect(() => withDefaults(new CrmConnector().description.properties, parameters), name).not.toThrow()
  expect(ours).toHaveLength(10)
  expect(nodes).toHaveLength(11)
  expect(Object.keys(connections)).toEqual(nodes.slice(0, -1).map(({ name }) => name))
})
