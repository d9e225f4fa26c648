import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFiles } from '../scripts/generated.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const files = generatedFiles(version)

test.each([...files.keys()])('%s is what npm run generate writes', (path) => {
  expect(readFileSync(path, 'utf8')).toBe(files.get(path))
})

test('no page is left of an operation that is gone', () => {
  expect(
    readdirSync('docs/operations')
      .map((name) => `docs/operations/${name}`)
      .filter((path) => !files.has(path)),
  ).toEqual([])
})
