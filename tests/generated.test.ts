import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from '../scripts/generated.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const files = generatedFiles(version)

test.each([...files.keys()])('%s is what npm run generate writes', (path) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(files.get(path))
})

test('no page is left of an operation that is gone', () => {
  expect(
    readdirSync(join(root, 'docs/operations'))
      .map((name) => `docs/operations/${name}`)
      .filter((path) => !files.has(path)),
  ).toEqual([])
})
