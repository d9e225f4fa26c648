import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Versions = { readonly [name: string]: string }

interface Described {
  readonly version: string
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly resolved?: string
  readonly link?: true
}

const read = <T>(path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as T

const { packages } = read<{ readonly packages: { readonly [path: string]: Described } }>('package-lock.json')

test.each(['', 'console', 'n8n', 'simulators'])('every dependency of the package %j is pinned to the version that is locked', (folder) => {
  const described = read<Described>(`${folder && `${folder}/`}package.json`)
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
    expect(packages[folder]?.[kind], kind).toEqual(described[kind])
    for (const [name, version] of Object.entries(described[kind] ?? {})) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
      expect((packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`])?.version, name).toBe(version)
    }
  }
})

test('the lock names no address that packages come from', () => {
  for (const [path, { resolved, link }] of Object.entries(packages)) if (!link) expect(resolved, path).toBeUndefined()
})
